import type { Request } from 'express';

/** A `traceparent` of version 00, or of a later version with the same beginning (W3C Trace Context, section 3.2). */
const pattern = /^(?!ff)[\da-f]{2}-((?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2})(?:$|-)/;

/**
 * Returns the `traceparent` of a request in version 00, always 55 characters: that of the span which handles the
 * request when this service traces, else the one that the caller sent. Undefined when there is none or it is invalid.
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

/** Returns the identifier of the trace that a request belongs to: 32 hexadecimal digits. */
export const traceIdOf = (request: Pick<Request, 'headers'> & { res?: Request['res'] }): string | undefined =>
  traceparentOf(request)?.slice(3, 35);
