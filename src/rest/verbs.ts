import type { RequestHandler } from 'express';
import { methodNotAllowed } from '../errors.js';

/** A path of a router. */
interface Place {
  options(handler: RequestHandler): unknown;
  all(handler: RequestHandler): unknown;
}

/** Answers OPTIONS with `Allow`, and every verb that the path does not have with 405. Call it last. */
export const answerNothingElse = (place: Place, verbs: readonly string[]): void => {
  const allow = [...verbs.flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])), 'OPTIONS'];
  place.options((_request, response) => void response.writeHead(204, { Allow: allow.join(', ') }).end());
  place.all(() => {
    throw methodNotAllowed(allow);
  });
};
