import { setImmediate } from 'node:timers/promises';

/**
 * Creates a queue for work that holds up the event loop. Each call resolves in a separate iteration of the loop, so
 * that other requests run in between.
 */
export const createQueue = (): (() => Promise<void>) => {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => setImmediate());
    return last;
  };
};
