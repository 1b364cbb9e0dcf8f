import type { Request } from 'express';

/** Returns the path and query of a request, whose target may be an absolute address (RFC 9112, section 3.2.2). */
export const targetOf = ({ originalUrl }: Request): string => originalUrl.replace(/^[a-z]+:\/\/[^/?]*/i, '');

/**
 * Returns the scheme, host and port that a request was sent to, as trusted proxies report them; '' when the request
 * names no valid host.
 */
export const originOf = (request: Request): string => {
  const { host } = request;
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) ? `${request.protocol}://${host}` : '';
};
