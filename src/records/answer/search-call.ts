import { ApiError } from '../../errors.js';
import { type ErrorAnswer, rejected, SearchFailure } from '../../search/failure.js';
import { TimedOut } from '../../search/pace.js';
import { parseRequest, type SearchRequest } from '../../search/request.js';
import type { Input } from '../../search/syntax/input.js';
import type { QueryAnswer } from '../record-index.js';

/** What a store in one piece says of its parts. */
export const shards = { total: 1, successful: 1, skipped: 0, failed: 0 } as const;

/** A query that was read, or what is wrong with it. */
export const parsed = (input: Input): SearchRequest | SearchFailure => {
  try {
    return parseRequest(input);
  } catch (error) {
    if (error instanceof SearchFailure) return error;
    throw error;
  }
};

/** What comes when it is the call's turn, or what each of its queries answers where too many calls wait. */
export const whenTurn = async <T>(coming: Promise<T>): Promise<T | ErrorAnswer> => {
  try {
    return await coming;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'RATE_LIMITED') return rejected(error.message).toAnswer();
    throw error;
  }
};

/** What comes, or `late` where the time of the call is over first. */
export const inTime = async <T>(coming: Promise<T>): Promise<T | 'late'> => {
  try {
    return await coming;
  } catch (error) {
    if (error instanceof TimedOut) return 'late';
    throw error;
  }
};

/** Milliseconds from now on. */
export const stopwatch = () => {
  const started = performance.now();
  return () => Math.round(performance.now() - started);
};

/** The answer of a query whose time is over. @param took milliseconds */
export const timedOutAnswer = (took: number): QueryAnswer => {
  const hits = { total: { value: 0, relation: 'gte' as const }, max_score: null, hits: [] };
  return { took, timed_out: true, status: 200, _shards: shards, hits };
};
