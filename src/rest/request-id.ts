import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

const acceptable = /^[\w.:-]{1,128}$/;

/** Gives every request its `X-Request-Id`: the one that a proxy or caller chose where it is plain text, else a new one. */
export const identifyRequests =
  (newRequestId: () => string = randomUUID): RequestHandler =>
  (request, response, next) => {
    const given = request.headers['x-request-id'];
    response.setHeader('X-Request-Id', typeof given === 'string' && acceptable.test(given) ? given : newRequestId());
    next();
  };
