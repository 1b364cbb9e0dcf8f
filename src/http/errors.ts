import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { type ApiError, internal, malformed, notFound, tooLarge } from '#common/errors.js';
import { toApiError } from '#schema/api-error.js';

/** Handling of errors outside the catalogue. */
export interface ErrorOptions {
  /** Receives the cause of a bare 500 or a 503. The caller never sees it. */
  report: (cause: unknown, request: Request) => void;
  /** Whether an error means that the database could not be reached. */
  isConnectionLoss: (error: unknown) => boolean;
}

/** Answers 404 on every path without a handler. */
export const refuseUnknownPath: RequestHandler = () => {
  throw notFound('path');
};

/** Answers every error as JSON (contract, section 7). An error outside the catalogue becomes a bare 500. */
export const answerErrors =
  ({ report, isConnectionLoss }: ErrorOptions): ErrorRequestHandler =>
  (error: unknown, request, response, _next) => {
    const apiError = toApiError(error, isConnectionLoss) ?? fromExpress(error);
    if (apiError === undefined || apiError.status >= 500) report(error, request);
    // Express would close the connection too, but it would print the error outside the log.
    if (response.headersSent) response.destroy();
    else sendError(response, apiError ?? internal());
  };

/** Writes an error as the response. */
export const sendError = (response: Response, error: ApiError): void => {
  const requestId = response.getHeader('X-Request-Id');
  const { message, code, errors } = error;
  response.locals['failure'] = { code, message };
  const body = JSON.stringify({ message, code, ...(errors && { errors }), ...(requestId && { requestId }) });
  response.writeHead(error.status, {
    ...error.headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
};

/** Translates an error that Express itself raises, such as for a path that does not decode. */
const fromExpress = (error: unknown): ApiError | undefined => {
  if (!(error instanceof Error) || !('status' in error)) return undefined;
  if (error.status === 413) return tooLarge('The body is too large.');
  return error.status === 400 ? malformed('The path cannot be decoded: percent-encode it as UTF-8.') : undefined;
};
