import { setImmediate } from 'node:timers/promises';

/**
 * Makes a queue of work that holds up the event loop: each resolves in an iteration of the loop of its own, so that
 * what others wait for runs between.
 */
export const createQueue = (): (() => Promise<void>) => {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => setImmediate());
    return last;
  };
};
