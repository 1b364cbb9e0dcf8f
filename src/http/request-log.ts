import type { Request, RequestHandler, Response } from 'express';
import { flatLog, type Log } from '#common/log.js';
import { traceIdOf } from './request-id.js';

/** Additional fields of a request's log line, kept in `response.locals`. */
interface Noted {
  /** The error that the request was answered with. GraphQL errors are noted here too. */
  failure?: { code: string; message: string };
  /** Fields that the operation noted (`Context.note`). */
  note?: Readonly<Record<string, string>>;
  /** Template of the path, for routes that Express does not know. */
  route?: string;
}

/** A request that was answered. */
export interface AnsweredRequest {
  method: string;
  /** Template of the path, such as `/ddp/v1/teams/:organizationId/:teamId`; `none` when no route matches. */
  route: string;
  /** Status of the answer; `aborted` when the caller left before the answer. */
  status: number | 'aborted';
  seconds: number;
}

/** Returns the template of a request's path; `none` when no route matches. It is known once the request is answered. */
export const routeOf = ({ baseUrl, route, res }: Request): string =>
  (res?.locals as Noted | undefined)?.route ??
  (route === undefined ? 'none' : `${baseUrl}${(route as { path: string }).path}`);

/** Returns the status of a finished answer; `aborted` when the caller left earlier. */
export const loggedStatus = (response: Response): number | 'aborted' =>
  response.writableFinished ? response.statusCode : 'aborted';

const maxMessageLength = 500;

/** Paths that proxies, orchestrators and Prometheus poll. */
export const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** Adds fields to the log line of a request. A WebSocket upgrade has no such line. */
export const noteFor = (
  { locals }: Partial<Pick<Response, 'locals'>>,
  fields: Readonly<Record<string, string>>,
): void => {
  if (locals !== undefined) locals['note'] = { ...(locals as Noted).note, ...fields };
};

/**
 * Logs one line per request, never with a token, a body or a query string. The line of a refused request (4xx) has the
 * error's code and message, and the fields that the operation noted; so has one of which a part was `rejected`. The
 * trace's identifier joins the lines of several services. Successful probes are logged at `debug` only. Every request is
 * passed to `observe`; one that its caller
 * left before the answer has the status `aborted`.
 */
export const logRequests = (log: Log, observe: (request: AnsweredRequest) => void): RequestHandler => {
  const lines = flatLog(log);
  return (request, response, next) => {
    const { method, path } = request;
    const begun = performance.now();
    // `close` is emitted once, after `finish` or without it.
    response.once('close', () => {
      const took = performance.now() - begun;
      const milliseconds = Math.round(took * 10) / 10;
      const requestId = response.getHeader('X-Request-Id');
      const status = loggedStatus(response);
      const { failure, note } = response.locals as Noted;
      observe({ method, route: routeOf(request), status, seconds: took / 1000 });
      const isRefused = status !== 'aborted' && status >= 400;
      const refused = isRefused &&
        failure && { code: failure.code, message: failure.message.slice(0, maxMessageLength) };
      const traceId = traceIdOf(request);
      lines[status === 200 && probePaths.has(path) ? 'debug' : 'info'](
        {
          requestId,
          ...(traceId && { traceId }),
          method,
          path,
          status,
          milliseconds,
          ...refused,
          ...((isRefused || note?.['rejected'] !== undefined) && note),
        },
        'request',
      );
    });
    next();
  };
};
