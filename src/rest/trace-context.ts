import type { Request } from 'express';

/** A `traceparent` of version 00, or of a later one that begins like it (W3C Trace Context, section 3.2). */
const pattern = /^(?!ff)[\da-f]{2}-((?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2})(?:$|-)/;

/**
 * The `traceparent` of a request in version 00: that of the span in which the request is handled where this service traces,
 * else the one that its caller sent. Undefined where there is none, or it is not valid. Always 55 characters.
 */
export const traceparentOf = ({
  headers,
  res,
}: Pick<Request, 'headers'> & { res?: Request['res'] }): string | undefined => {
  const own = res?.locals?.['traceparent'] as string | undefined;
  if (own !== undefined) return own;
  const given = headers['traceparent'];
  const [, rest] = (typeof given === 'string' && pattern.exec(given)) || [];
  return rest === undefined ? undefined : `00-${rest}`;
};

/** The identifier of the trace that a request is a part of: 32 hexadecimal digits. */
export const traceIdOf = (request: Pick<Request, 'headers'> & { res?: Request['res'] }): string | undefined =>
  traceparentOf(request)?.slice(3, 35);
