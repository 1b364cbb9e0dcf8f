import { afterEach, describe, expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';
import { begun, buildLiveWorld, missed, values } from './live-world.js';
import { overSocket, type Subscriber } from './subscriber.js';

const world = useWorld();
const subscribers: Subscriber[] = [];
afterEach(() => {
  for (const subscriber of subscribers.splice(0)) subscriber.leave();
});

describe('recordReceived with a query', () => {
  it('sends every match when its organization stores 4,000 records at once', async () => {
    const place = await buildLiveWorld(world);
    const subscribe = (variables: object) => {
      const subscriber = overSocket(world.url, place.owner.token, place.records({ limit: 500, ...variables }));
      subscribers.push(subscriber);
      return subscriber;
    };
    // Gives the undeclared field the type of its first value.
    await place.send({ i: 0 });
    const floors = [2000, 3000, 3900];
    const choosy = floors.map((gte) => subscribe({ query: { range: { 'data.i': { gte } } } }));
    for (const subscriber of choosy) await subscriber.until(begun);
    const calls = Array.from({ length: 80 }, (_, call) =>
      place.send(...Array.from({ length: 50 }, (_, index) => ({ i: call * 50 + index }))),
    );
    await Promise.all(calls);
    for (const [index, subscriber] of choosy.entries()) {
      const matching = 4000 - floors[index]!;
      await subscriber.until((heard) => values(heard).length + missed(heard) >= matching);
      expect({ told: values(subscriber).length, missed: missed(subscriber) }).toEqual({ told: matching, missed: 0 });
    }
  });
});
