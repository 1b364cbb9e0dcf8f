import { expect, it } from '@jest/globals';
import { createCallLimiter } from '#calls/call-limiter.js';

it('wakes all waiting callers of the call limiter when slots are free, not only the last one', async () => {
  let calls = 0;
  const limiter = createCallLimiter(async () => void calls++);
  // Admits more calls than may start at once.
  for (let index = 0; index < 200; index += 1) limiter.admit('organization', index);
  await Promise.all([limiter.ready(), limiter.ready()]);
  expect(calls).toBeGreaterThan(64);
  expect(limiter.close().length).toBeLessThan(16);
});
