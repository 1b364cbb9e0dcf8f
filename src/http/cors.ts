import type { RequestHandler } from 'express';
import { daySeconds } from '#common/time.js';

const exposed = [
  'Link',
  'Retry-After',
  'X-Delivery-Error',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Total-Count',
].join(', ');
const sendable = [
  'Apollo-Require-Preflight',
  'Authorization',
  'Content-Encoding',
  'Content-Type',
  'Idempotency-Key',
  'X-Apollo-Operation-Name',
  'X-Request-Id',
].join(', ');

/**
 * Lets browser pages from the named origins call the API (Fetch standard, CORS protocol). Credentials are not allowed,
 * because sessions are only for pages of this service. Other origins get no CORS header, so the browser withholds the
 * answer from them.
 */
export const allowOrigins = (origins: readonly string[]): RequestHandler => {
  const allowed = new Set(origins);
  if (allowed.size === 0) return (_request, _response, next) => next();
  return (request, response, next) => {
    response.vary('Origin');
    const { origin } = request.headers;
    if (origin === undefined || !(allowed.has(origin) || allowed.has('*'))) return next();
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', exposed);
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
    if (!isPreflight) return next();
    response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, DELETE');
    response.setHeader('Access-Control-Allow-Headers', sendable);
    response.setHeader('Access-Control-Max-Age', daySeconds);
    response.writeHead(204).end();
  };
};
