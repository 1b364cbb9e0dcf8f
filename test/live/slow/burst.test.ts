import { describe, expect, it } from '@jest/globals';
import { useWorld } from '../../support/world.js';
import { hearBurst } from '../burst.js';

const world = useWorld();

describe('recordReceived with a query', () => {
  // The service gives up on records that wait for ten seconds: a slow machine misses some.
  it('misses nothing when its organization stores 4,000 records at once', async () => {
    for (const { told, missed, matching } of await hearBurst(world)) expect([told, missed]).toEqual([matching, 0]);
  });
});
