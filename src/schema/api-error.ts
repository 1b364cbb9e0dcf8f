import { GraphQLError } from 'graphql';
import { ApiError, timedOut, unavailable } from '../errors.js';
import { isConflict } from '../transaction.js';

/** PostgreSQL ended a statement whose time was over, or whose time to wait for a lock (SQLSTATE query_canceled, lock_not_available). */
const cancelled = new Set<unknown>(['57014', '55P03']);

/**
 * The error that a caller may see, wherever its cause hides; undefined for what was not foreseen.
 * @param isConnectionLoss whether an error says that the database could not be reached.
 */
export function toApiError(error: unknown, isConnectionLoss: (error: unknown) => boolean): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (isConnectionLoss(error)) return unavailable(undefined, error);
  if (error instanceof Error && 'code' in error && cancelled.has(error.code)) return timedOut();
  if (isConflict(error)) return unavailable('Others changed the same at the same time. Try again shortly.', error);
  return causesOf(error)
    .map((cause) => toApiError(cause, isConnectionLoss))
    .find((each) => each !== undefined);
}

/** Whether an error says only that a call was aborted because its caller went away. */
export const isAborted = (error: unknown): boolean => {
  // A DOMException, which is of no class that is the same everywhere.
  if (typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError') return true;
  const causes = causesOf(error);
  return causes.length > 0 && causes.every(isAborted);
};

/** What an error was made of; nothing where it stands for itself. */
const causesOf = (error: unknown): readonly unknown[] => {
  if (error instanceof AggregateError) return error.errors;
  const cause = error instanceof GraphQLError ? error.originalError : error instanceof Error ? error.cause : undefined;
  return cause === undefined ? [] : [cause];
};
