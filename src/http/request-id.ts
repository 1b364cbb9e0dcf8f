import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';

/** A request's own identifier that is kept. */
const acceptable = /^[\w.:-]{1,128}$/;

/**
 * Sets the `X-Request-Id` of every request: the one that a proxy or the caller chose if it is plain text, else a new
 * one.
 */
export const identifyRequests =
  (newRequestId: () => string = randomUUID): RequestHandler =>
  (request, response, next) => {
    const given = request.headers['x-request-id'];
    response.setHeader('X-Request-Id', typeof given === 'string' && acceptable.test(given) ? given : newRequestId());
    next();
  };

/** A `traceparent` of version 00, or of a later version with the same beginning (W3C Trace Context, section 3.2). */
const traceparent = /^(?!ff)[\da-f]{2}-((?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2})(?:$|-)/;

/**
 * Returns the `traceparent` of a request in version 00, always 55 characters. If this service traces, it names the span
 * that handles the request; otherwise it is the caller's header. Undefined without a valid header.
 */
export const traceparentOf = ({
  headers,
  res,
}: Pick<Request, 'headers'> & { res?: Request['res'] }): string | undefined => {
  const own = res?.locals?.['traceparent'] as string | undefined;
  if (own !== undefined) return own;
  const given = headers['traceparent'];
  const [, rest] = (typeof given === 'string' && traceparent.exec(given)) || [];
  return rest === undefined ? undefined : `00-${rest}`;
};

/** Returns the identifier of the trace that a request belongs to: 32 hexadecimal digits. */
export const traceIdOf = (request: Pick<Request, 'headers'> & { res?: Request['res'] }): string | undefined =>
  traceparentOf(request)?.slice(3, 35);
