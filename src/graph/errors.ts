import { unwrapResolverError } from '@apollo/server/errors';
import type { ErrorRequestHandler } from 'express';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { type ApiError, type ErrorCode, internal } from '#common/errors.js';
import { toApiError } from '#schema/api-error.js';
import { tooManyRepeats, tooManyTokens } from './document-limit.js';
import { faultOf } from './fault.js';

/** Handling of errors outside the catalogue. */
export interface ErrorOptions {
  /** Receives the cause of a masked error. The caller never sees it. */
  report: (cause: unknown) => void;
  /** Whether an error means that the database could not be reached. */
  isConnectionLoss: (error: unknown) => boolean;
}

/** Translates the codes of graphql-js and Apollo to those of the catalogue. */
const codes: Readonly<Record<string, ErrorCode>> = {
  GRAPHQL_PARSE_FAILED: 'MALFORMED_REQUEST',
  BAD_REQUEST: 'MALFORMED_REQUEST',
  GRAPHQL_VALIDATION_FAILED: 'VALIDATION_FAILED',
  BAD_USER_INPUT: 'VALIDATION_FAILED',
  OPERATION_RESOLUTION_FAILURE: 'VALIDATION_FAILED',
};

/** Messages of Apollo, which have no code, for a persisted query that was sent wrongly. */
const persistence: ReadonlySet<string> = new Set([
  'provided sha does not match query',
  'Unsupported persisted query version',
]);

/**
 * Creates the formatter of the graph's errors. It gives them the codes of REST (extensions `code` and `errors`) and
 * hides the same details as REST.
 */
export const createErrorFormat =
  ({ report, isConnectionLoss }: ErrorOptions) =>
  (formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError => {
    const { message, locations, path, extensions } = formatted;
    const where = { ...(locations && { locations }), ...(path && { path }) };
    const apiError = toApiError(
      tooManyTokens(error) ?? tooManyRepeats(error) ?? unwrapResolverError(error),
      isConnectionLoss,
    );
    if (apiError !== undefined) return { message: apiError.message, ...where, extensions: detailsOf(apiError) };
    const code = persistence.has(message) ? 'MALFORMED_REQUEST' : codes[String(extensions?.code)];
    const fault = code === 'VALIDATION_FAILED' ? faultOf(error) : undefined;
    if (code !== undefined) return { message, ...where, extensions: { code, ...(fault && { errors: [fault] }) } };
    if (typeof extensions?.code === 'string' && extensions.code !== 'INTERNAL_SERVER_ERROR') return formatted;
    report(unwrapResolverError(error));
    const { code: masked, message: sentence } = internal();
    return { message: sentence, ...where, extensions: { code: masked } };
  };

/** Creates the same formatter for an error as it was thrown. */
export const createExplain = (options: ErrorOptions): ((error: unknown) => GraphQLFormattedError) => {
  const format = createErrorFormat(options);
  return (error) => {
    const graphQLError = asGraphQLError(error);
    return format(graphQLError.toJSON(), graphQLError);
  };
};

const asGraphQLError = (error: unknown): GraphQLError => {
  if (error instanceof GraphQLError) return error;
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError(originalError.message, { originalError });
};

/**
 * Answers a request that never became an operation (401, 429, a body that is not JSON) with its status, in the form of
 * GraphQL errors.
 */
export const answerGraphErrors =
  ({ report, isConnectionLoss }: ErrorOptions): ErrorRequestHandler =>
  (error: unknown, _request, response, next) => {
    if (response.headersSent) return next(error);
    const apiError = toApiError(error, isConnectionLoss);
    if (apiError === undefined || apiError.status >= 500) report(error);
    const shown = apiError ?? internal();
    const requestId = response.getHeader('X-Request-Id');
    const extensions = { ...detailsOf(shown), requestId };
    response.locals['failure'] = { code: shown.code, message: shown.message };
    response
      .status(shown.status)
      .set(shown.headers)
      .json({ errors: [{ message: shown.message, extensions }] });
  };

const detailsOf = ({ code, errors }: ApiError) => ({ code, ...(errors && { errors }) });
