import type { Request, Response } from 'express';
import { ApiError } from '../errors.js';
import type { Context } from '../schema/context.js';
import type { Count } from './rate.js';

/** Who calls. */
export type Caller = Context['caller'];

/** Finds out who sends a request. @throws unauthenticated where nobody is known by its token. */
export type Authenticate = (request: Request) => Promise<Caller>;

/** Lets a request in, or not: token (401), then rate (429); an unknown caller is counted by address before its 401. */
export type Admit = (request: Request, response: Response) => Promise<Caller>;

/** Makes a door that counts the requests of callers, and by address those of unknown ones. */
export const createAdmit =
  (authenticate: Authenticate, count: Count, countUnknown: Count): Admit =>
  async (request, response) => {
    const caller = await authenticate(request).catch(async (error: unknown) => {
      const unknown = error instanceof ApiError && error.code === 'UNAUTHENTICATED';
      if (unknown) await countUnknown(`address ${request.ip ?? ''}`, response);
      throw error;
    });
    await count(keyOf(caller), response);
    return caller;
  };

/** By what the requests of a caller are counted. */
export const keyOf = ({ tokenId }: Caller): string => `token ${tokenId}`;
