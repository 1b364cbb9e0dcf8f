import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { type ApiError, type ErrorCode, internal, malformed, notFound, tooLarge } from '#common/errors.js';
import { toApiError } from '#schema/api-error.js';
import { escaped, sendPage } from './page.js';

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

/** Writes an error as the response: as a page for a browser that opens a page for people, else as JSON. */
export const sendError = (response: Response, error: ApiError): void => {
  const requestId = response.getHeader('X-Request-Id');
  const { message, code, errors } = error;
  response.locals['failure'] = { code, message };
  if (isForPerson(response)) return sendErrorPage(response, error, String(requestId ?? ''));
  const body = JSON.stringify({ message, code, ...(errors && { errors }), ...(requestId && { requestId }) });
  response.writeHead(error.status, {
    ...error.headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
};

/** Addresses that people open: pages of sign-in, and those that links in e-mails open. */
const forPeople = /^\/(auth|alerts\/mail)\//;

/** Whether a person sees the answer: their browser asks for a page that people open. */
const isForPerson = ({ req }: Response): boolean =>
  forPeople.test(req.originalUrl) && /\btext\/html\b/.test(req.headers.accept ?? '');

function sendErrorPage(response: Response, { status, code, message, headers = {} }: ApiError, requestId: string): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const text = code === 'UNAUTHENTICATED' ? 'Sign in, and open the page again.' : escaped(message);
  const named = requestId === '' ? [] : [`The number of this request is ${escaped(requestId)}.`];
  const links = [{ text: 'Go to the console', href: '/console/' }];
  sendPage(response, { status, title: titles[code] ?? 'This did not work', text: [text, ...named], links });
}

const titles: Readonly<Partial<Record<ErrorCode, string>>> = {
  UNAUTHENTICATED: 'You are not signed in',
  FORBIDDEN: 'This is not allowed here',
  NOT_FOUND: 'There is no such page',
  RATE_LIMITED: 'Too many requests',
  UNAVAILABLE: 'Try again shortly',
};

/** Translates an error that Express itself raises, such as for a path that does not decode. */
const fromExpress = (error: unknown): ApiError | undefined => {
  if (!(error instanceof Error) || !('status' in error)) return undefined;
  if (error.status === 413) return tooLarge('The body is too large.');
  return error.status === 400 ? malformed('The path cannot be decoded: percent-encode it as UTF-8.') : undefined;
};
