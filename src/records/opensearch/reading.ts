import { timedOut } from '../../errors.js';
import { TimedOut } from '../../search/pace.js';

/** Does what may take so many milliseconds. @throws TIMEOUT where its time ran out */
export const readingWithin = async <T>(timeoutMs: number, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TimedOut ? timedOut(timeoutMs) : error;
  }
};
