import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { GraphQLError } from 'graphql';
import { ApiError, malformed, notFound, tooLarge, unavailable } from '../errors.js';

/** Where the cause of a bare 500 goes; the caller never sees it. */
export type Report = (cause: unknown, request: Request) => void;

/** 404 for every path that nothing answers. */
export const refuseUnknownPath: RequestHandler = () => {
  throw notFound('path');
};

/** Answers every error as JSON (decisions: status codes and errors). What is not in the catalogue is a bare 500. */
export const answerErrors =
  (report: Report): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    const known = toApiError(error);
    if (known === undefined || known.status >= 500) report(error, request);
    if (response.headersSent) next(error);
    else sendError(response, known ?? internal());
  };

/** Writes one error. */
export const sendError = (response: Response, error: ApiError): void => {
  const requestId = response.getHeader('X-Request-Id');
  const { message, code, errors } = error;
  const body = JSON.stringify({ message, code, ...(errors && { errors }), ...(requestId && { requestId }) });
  response.writeHead(error.status, {
    ...error.headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
};

/** The error that a caller may see, wherever its cause hides; undefined for what was not foreseen. */
export const toApiError = (error: unknown): ApiError | undefined => {
  if (error instanceof ApiError) return error;
  if (error instanceof GraphQLError && error.originalError) return toApiError(error.originalError);
  if (error instanceof AggregateError) return error.errors.map(toApiError).find((each) => each !== undefined);
  if (isLostConnection(error)) return unavailable();
  return fromExpress(error) ?? (error instanceof Error && error.cause ? toApiError(error.cause) : undefined);
};

const internal = () => new ApiError('INTERNAL', 'Something went wrong here. Say which request it was when you ask.');

/** PostgreSQL's class 08 and its shutdown codes, and what Node says of a socket that is gone. */
const lostConnection = /^(08...|57P0[123]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT)$/;

const isLostConnection = (error: unknown): boolean =>
  hasCode(error) && lostConnection.test(error.code)
    ? true
    : error instanceof Error && /^(Connection terminated|timeout exceeded when trying to connect)/.test(error.message);

const hasCode = (error: unknown): error is { code: string } =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';

/** What Express itself refuses, such as a path that does not decode. */
const fromExpress = (error: unknown): ApiError | undefined => {
  if (!(error instanceof Error) || !('status' in error)) return undefined;
  if (error.status === 413) return tooLarge('The body is too large.');
  return error.status === 400 ? malformed('The path cannot be decoded: percent-encode it as UTF-8.') : undefined;
};
