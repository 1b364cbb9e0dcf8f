import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

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
