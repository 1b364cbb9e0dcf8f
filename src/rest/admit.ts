import type { Request, Response } from 'express';
import { ApiError, forbidden } from '../errors.js';
import { createRateLimit } from './rate.js';
import type { Route } from './routes.js';

/** What the door needs to know of whoever calls. */
export interface Bearer {
  tokenId: string;
  scope: string;
}

/** Finds out who sends a request. @throws unauthenticated where nobody is known by its token. */
export type Authenticate<Caller extends Bearer> = (request: Request) => Promise<Caller>;

/** Lets a request in, or not: token (401), then rate (429); an unknown caller is counted by address before its 401. */
export type Admit<Caller extends Bearer> = (request: Request, response: Response) => Promise<Caller>;

/** Makes a door whose visitors are counted, requests a second; 0 = not counted. */
export const createAdmit = <Caller extends Bearer>(
  authenticate: Authenticate<Caller>,
  perSecond: number,
): Admit<Caller> => {
  const count = createRateLimit(perSecond);
  return async (request, response) => {
    const caller = await authenticate(request).catch(async (error: unknown) => {
      const unknown = error instanceof ApiError && error.code === 'UNAUTHENTICATED';
      if (unknown) await count(`address ${request.ip ?? ''}`, response);
      throw error;
    });
    await count(`token ${caller.tokenId}`, response);
    return caller;
  };
};

/** What a token's scope covers: `full` all, `read` what changes nothing, `ingest` posting records. */
export const checkScope = ({ root, ingest }: Pick<Route, 'root' | 'ingest'>, { scope }: Bearer): void => {
  const covered = scope === 'full' || (scope === 'ingest' ? ingest === true : root === 'Query');
  if (!covered) throw forbidden(`The scope of this token, "${scope}", does not cover this.`);
};
