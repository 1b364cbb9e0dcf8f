import type { Request, RequestHandler, Response } from 'express';
import type { Log } from '../log.js';
import { traceIdOf } from './trace-context.js';

/** Fields that the log line of a request carries besides the usual ones, in `response.locals`. */
interface Noted {
  /** What a refused request was told; the graph's errors note it as well. */
  failure?: { code: string; message: string };
  /** What the operation noted (`Context.note`). */
  note?: Readonly<Record<string, string>>;
  /** The template of the path, where no route of Express tells it. */
  route?: string;
}

/** A request that was answered. */
export interface AnsweredRequest {
  method: string;
  /** The template of its path, such as `/ddp/v1/teams/:organizationId/:teamId`; `none` where nothing stands there. */
  route: string;
  /** Its status; `aborted` where the caller went away before it was answered. */
  status: number | 'aborted';
  seconds: number;
}

/** The template of a request's path; `none` where nothing stands there. Known once it is answered. */
export const routeOf = ({ baseUrl, route, res }: Request): string =>
  (res?.locals as Noted | undefined)?.route ??
  (route === undefined ? 'none' : `${baseUrl}${(route as { path: string }).path}`);

/** The status of an answer, once it is written; `aborted` where the caller went away before. */
export const statusOf = (response: Response): number | 'aborted' =>
  response.writableFinished ? response.statusCode : 'aborted';

const maxMessageLength = 500;

/** What proxies, orchestrators and Prometheus ask all the time. */
export const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** Adds fields to the log line of a request. A socket's upgrade has no line. */
export const noteFor = (
  { locals }: Partial<Pick<Response, 'locals'>>,
  fields: Readonly<Record<string, string>>,
): void => {
  if (locals !== undefined) locals['note'] = { ...(locals as Noted).note, ...fields };
};

/**
 * One line a request: never a token, a body or a query string. A refused one (4xx) says why, with its code and message;
 * where the operation noted what it was about, the line says that too. The trace that it is a part of is
 * in it, so that the lines of several services are found together. A probe that is answered well leaves a line at `debug` alone.
 * Every request is observed, one that its caller left
 * before it was answered as `aborted`.
 */
export const logRequests =
  (log: Log, observe: (request: AnsweredRequest) => void): RequestHandler =>
  (request, response, next) => {
    const { method, path } = request;
    const begun = performance.now();
    // It comes once, after `finish` or without it.
    response.once('close', () => {
      const took = performance.now() - begun;
      const milliseconds = Math.round(took * 10) / 10;
      const requestId = response.getHeader('X-Request-Id');
      const status = statusOf(response);
      const { failure, note } = response.locals as Noted;
      observe({ method, route: routeOf(request), status, seconds: took / 1000 });
      const isRefused = status !== 'aborted' && status >= 400;
      const refused = isRefused &&
        failure && { code: failure.code, message: failure.message.slice(0, maxMessageLength) };
      const traceId = traceIdOf(request);
      log[status === 200 && probePaths.has(path) ? 'debug' : 'info'](
        {
          requestId,
          ...(traceId && { traceId }),
          method,
          path,
          status,
          milliseconds,
          ...refused,
          ...(isRefused && note),
        },
        'request',
      );
    });
    next();
  };
