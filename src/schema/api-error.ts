import { GraphQLError } from 'graphql';
import { ApiError, timedOut, unavailable } from '../errors.js';

/**
 * The error that a caller may see, wherever its cause hides; undefined for what was not foreseen.
 * @param isConnectionLoss whether an error says that the database could not be reached.
 */
export function toApiError(error: unknown, isConnectionLoss: (error: unknown) => boolean): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (isConnectionLoss(error)) return unavailable();
  if (isCancelled(error)) return timedOut();
  const causes = error instanceof AggregateError ? (error.errors as unknown[]) : [causeOf(error)];
  const known = causes.map((cause) => (cause === undefined ? undefined : toApiError(cause, isConnectionLoss)));
  return known.find((each) => each !== undefined);
}

const causeOf = (error: unknown): unknown => {
  if (error instanceof GraphQLError) return error.originalError;
  return error instanceof Error ? error.cause : undefined;
};

/** PostgreSQL ended a statement whose time was over (SQLSTATE query_canceled). */
const isCancelled = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '57014';
