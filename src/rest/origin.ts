import type { Request } from 'express';

/** Path and query of a request, whose target may be a whole address (RFC 9112, section 3.2.2). */
export const targetOf = ({ originalUrl }: Request): string => originalUrl.replace(/^[a-z]+:\/\/[^/?]*/i, '');

/** Scheme, host and port that a request was sent to, proxies that are trusted included; '' where it names no host. */
export const originOf = (request: Request): string => {
  const { host } = request;
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) ? `${request.protocol}://${host}` : '';
};
