import { unwrapResolverError } from '@apollo/server/errors';
import type { ErrorRequestHandler } from 'express';
import { GraphQLError, type GraphQLFormattedError, type Token, TokenKind } from 'graphql';
import { type ApiError, type ErrorCode, type Fault, internal } from '#common/errors.js';
import { toApiError } from '#schema/api-error.js';
import { tooManyRepeats, tooManyTokens } from './document-limit.js';

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

/**
 * Returns the dotted path of the argument or variable that has an invalid value, and the reason. Undefined for errors
 * that are not about a value. graphql-js reports the value with its line and, for a variable, the name.
 */
function faultOf(error: unknown): Fault | undefined {
  if (!(error instanceof GraphQLError)) return undefined;
  const { message, nodes } = error;
  const [, variable, rest = ''] = /^Variable "\$(\w+)" got invalid value ([^]*)$/.exec(message) ?? [];
  if (variable !== undefined) {
    const [, at = variable] = / at "(\w+(?:\.\w+)*)";/.exec(rest) ?? [];
    return { path: at, message: reasonOf(error) };
  }
  const node = nodes?.[0];
  if (node?.loc === undefined || !node.kind.endsWith('Value')) return undefined;
  const path = pathOf(node.loc.startToken);
  return path === '' ? undefined : { path, message: reasonOf(error) };
}

/** Returns a scalar's own message about the value, without the text that graphql-js puts before it. */
const reasonOf = ({ message, originalError }: GraphQLError): string => originalError?.message ?? message;

const openers: ReadonlySet<TokenKind> = new Set([TokenKind.PAREN_L, TokenKind.BRACE_L, TokenKind.BRACKET_L]);
const closers: ReadonlySet<TokenKind> = new Set([TokenKind.PAREN_R, TokenKind.BRACE_R, TokenKind.BRACKET_R]);

/**
 * Returns the path of a value: the name of its argument, then those of the object fields that contain it. The names are
 * found in the tokens before the value.
 */
function pathOf(value: Token): string {
  const names: string[] = [];
  for (let opener: Token | undefined = value; opener !== undefined; opener = openerOf(opener)) {
    if (opener.kind === TokenKind.PAREN_L) break;
    const before: Token | null = opener.prev;
    if (before?.kind === TokenKind.COLON && before.prev?.kind === TokenKind.NAME) names.unshift(before.prev.value);
  }
  return names.join('.');
}

/** Returns the bracket that encloses a token. */
function openerOf(token: Token): Token | undefined {
  let depth = 0;
  for (let before = token.prev; before !== null; before = before.prev) {
    if (closers.has(before.kind)) depth += 1;
    else if (openers.has(before.kind) && depth-- === 0) return before;
  }
  return undefined;
}
