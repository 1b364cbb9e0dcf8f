import type { RequestHandler, Response } from 'express';
import { methodNotAllowed } from '#common/errors.js';

/** A path of a router. */
interface VerbRouter {
  options(handler: RequestHandler): unknown;
  all(handler: RequestHandler): unknown;
}

/**
 * Returns the verbs that a path answers. HEAD follows from GET; OPTIONS is always included.
 * @param verbs the verbs that the path has operations for.
 */
export const allowedVerbs = (verbs: readonly string[]): string[] => [
  ...verbs.flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])),
  'OPTIONS',
];

export const answerOptions = (response: Response, allow: readonly string[]): void =>
  void response.writeHead(204, { Allow: allow.join(', ') }).end();

/** Answers OPTIONS with `Allow`, and every other verb with 405. Call it after the path's own handlers are added. */
export const answerNothingElse = (router: VerbRouter, verbs: readonly string[]): void => {
  const allow = allowedVerbs(verbs);
  router.options((_request, response) => answerOptions(response, allow));
  router.all(() => {
    throw methodNotAllowed(allow);
  });
};
