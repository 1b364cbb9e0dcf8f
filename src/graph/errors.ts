import { unwrapResolverError } from '@apollo/server/errors';
import type { GraphQLFormattedError } from 'graphql';
import type { ApiError, ErrorCode } from '../errors.js';
import { toApiError } from '../schema/api-error.js';

/** What is done with errors outside the catalogue. */
export interface ErrorOptions {
  /** Takes the cause of a masked error; the caller never sees it. */
  report: (cause: unknown) => void;
  /** Whether an error says that the database could not be reached. */
  isConnectionLoss: (error: unknown) => boolean;
}

/** What the codes of graphql-js and Apollo are called here. */
const codes: Readonly<Record<string, ErrorCode>> = {
  GRAPHQL_PARSE_FAILED: 'MALFORMED_REQUEST',
  BAD_REQUEST: 'MALFORMED_REQUEST',
  GRAPHQL_VALIDATION_FAILED: 'VALIDATION_FAILED',
  BAD_USER_INPUT: 'VALIDATION_FAILED',
  OPERATION_RESOLUTION_FAILURE: 'VALIDATION_FAILED',
};

/** Gives the graph's errors the codes and the discretion of REST's (extensions `code` and `errors`). */
export const createErrorFormat =
  ({ report, isConnectionLoss }: ErrorOptions) =>
  (formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError => {
    const { message, locations, path, extensions } = formatted;
    const where = { ...(locations && { locations }), ...(path && { path }) };
    const known = toApiError(unwrapResolverError(error), isConnectionLoss);
    if (known !== undefined) return { message: known.message, ...where, extensions: detailsOf(known) };
    const code = codes[String(extensions?.code)];
    if (code !== undefined) return { message, ...where, extensions: { code } };
    if (typeof extensions?.code === 'string' && extensions.code !== 'INTERNAL_SERVER_ERROR') return formatted;
    report(unwrapResolverError(error));
    return { message: 'Something went wrong here.', ...where, extensions: { code: 'INTERNAL' } };
  };

const detailsOf = ({ code, errors }: ApiError) => ({ code, ...(errors && { errors }) });
