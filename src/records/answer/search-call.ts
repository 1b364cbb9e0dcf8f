import { ApiError } from '#common/errors.js';
import { TimedOut } from '#search/pace.js';
import { parseRequest, type SearchRequest } from '#search/request.js';
import { type ErrorAnswer, rejected, SearchFailure } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import type { QueryAnswer } from '../record-index.js';

/** Shard counts of a store without shards. */
export const shards = { total: 1, successful: 1, skipped: 0, failed: 0 } as const;

/** Parses a query. Returns the SearchFailure of an invalid one. */
export const parseSearch = (input: Input): SearchRequest | SearchFailure => {
  try {
    return parseRequest(input);
  } catch (error) {
    if (error instanceof SearchFailure) return error;
    throw error;
  }
};

/** Awaits a slot in the queue. Returns the error answer for each query of the call if too many calls wait. */
export const whenTurn = async <T>(coming: Promise<T>): Promise<T | ErrorAnswer> => {
  try {
    return await coming;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'RATE_LIMITED') return rejected(error.message).toAnswer();
    throw error;
  }
};

/** Awaits a result. Returns `late` if the time of the call ends first. */
export const inTime = async <T>(coming: Promise<T>): Promise<T | 'late'> => {
  try {
    return await coming;
  } catch (error) {
    if (error instanceof TimedOut) return 'late';
    throw error;
  }
};

/** Creates a function that returns the milliseconds since its creation. */
export const stopwatch = () => {
  const started = performance.now();
  return () => Math.round(performance.now() - started);
};

/**
 * Builds the answer of a query that timed out.
 * @param took milliseconds
 */
export const timedOutAnswer = (took: number): QueryAnswer => {
  const hits = { total: { value: 0, relation: 'gte' as const }, max_score: null, hits: [] };
  return { took, timed_out: true, status: 200, _shards: shards, hits };
};
