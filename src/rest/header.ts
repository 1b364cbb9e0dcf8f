import { GraphQLError } from 'graphql';
import { ApiError, invalid } from '#common/errors.js';
import type { Route } from './routes.js';

/** Returns a header in the spelling of documents: `Idempotency-Key`. */
export const headerName = (header: string): string => header.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());

/**
 * Creates a function that rewrites the faults of an error: an argument that arrives in a header gets the header's name.
 */
export const createNaming = ({ headers = {} }: Route): ((error: unknown) => unknown) => {
  if (Object.keys(headers).length === 0) return (error) => error;
  const nameOf = (path: string) => (headers[path] === undefined ? path : headerName(headers[path]));
  return (error) => {
    const cause = error instanceof GraphQLError ? error.originalError : error;
    if (!(cause instanceof ApiError) || !cause.errors?.some(({ path }) => path in headers)) return error;
    return invalid(cause.errors.map(({ path, message }) => ({ path: nameOf(path), message })));
  };
};
