import { timedOut } from '#common/errors.js';
import { TimedOut } from '#search/pace.js';

/**
 * Runs work with a time limit.
 * @throws ApiError 504 if the time runs out
 */
export const readingWithin = async <T>(timeoutMs: number, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TimedOut ? timedOut(timeoutMs) : error;
  }
};
