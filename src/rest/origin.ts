import type { Request } from 'express';

/** Scheme, host and port that a request was sent to, proxies that are trusted included; '' where it names no host. */
export const originOf = (request: Request): string => {
  const { host } = request;
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) ? `${request.protocol}://${host}` : '';
};
