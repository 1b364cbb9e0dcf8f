import { expect, it } from '@jest/globals';
import { createCallLimiter } from '../../src/hooks/call-limiter.js';

it('tells everybody who waits until more calls may come, not the last one alone', async () => {
  let calls = 0;
  const limiter = createCallLimiter(async () => void calls++);
  // More than may begin at once.
  for (let index = 0; index < 200; index += 1) limiter.admit('organization', index);
  await Promise.all([limiter.ready(), limiter.ready()]);
  expect(calls).toBeGreaterThan(64);
  expect(limiter.close().length).toBeLessThan(16);
});
