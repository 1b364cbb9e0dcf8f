import { GraphQLError } from 'graphql';
import { ApiError, timedOut, unavailable } from '#common/errors.js';
import { isConflict } from '#database/transaction.js';

/**
 * SQLSTATEs of statements that PostgreSQL cancelled because of a timeout, of the statement (query_canceled) or of its
 * wait for a lock (lock_not_available).
 */
const cancelled = new Set<unknown>(['57014', '55P03']);

/**
 * Returns the error that a caller may see, also when it is the cause of another error; undefined for an unexpected
 * error.
 * @param isConnectionLoss whether an error means that the database could not be reached.
 */
export function toApiError(error: unknown, isConnectionLoss: (error: unknown) => boolean): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (isConnectionLoss(error)) return unavailable(undefined, error);
  if (error instanceof Error && 'code' in error && cancelled.has(error.code)) return timedOut();
  if (isConflict(error))
    return unavailable('Another request changed the same thing at the same time. Try again shortly.', error);
  return causesOf(error)
    .map((cause) => toApiError(cause, isConnectionLoss))
    .find((each) => each !== undefined);
}

/** Whether an error means only that a call was aborted because its caller left. */
export const isAborted = (error: unknown): boolean => {
  // The error is a DOMException, whose class differs between realms, so it is recognized by name.
  if (typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError') return true;
  const causes = causesOf(error);
  return causes.length > 0 && causes.every(isAborted);
};

/** Returns the causes of an error; none for an error that stands alone. */
const causesOf = (error: unknown): readonly unknown[] => {
  if (error instanceof AggregateError) return error.errors;
  const cause = error instanceof GraphQLError ? error.originalError : error instanceof Error ? error.cause : undefined;
  return cause === undefined ? [] : [cause];
};
