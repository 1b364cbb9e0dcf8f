import type { Socket } from 'node:net';
import { ApiError } from '../errors.js';
import type { Context } from '../schema/context.js';
import { timeSlices } from '../time-slice.js';
import type { Count, TakesHeaders } from './rate.js';

/** Who calls. */
export type Caller = Context['caller'];

/** A request of HTTP, or what in another protocol shows a token as its header would. */
export interface Bearer {
  readonly headers: { readonly authorization?: string | undefined };
  readonly socket: Socket;
  /** Its address, behind trusted proxies that of the client. */
  readonly ip?: string | undefined;
}

/** Finds out who sends a request. @throws unauthenticated where nobody is known by its token. */
export type Authenticate = (request: Bearer) => Promise<Caller>;

/** Admits a request or throws: token (401), then rate (429). Without a valid token it is counted by address before the 401. */
export type Admit = (request: Bearer, response: TakesHeaders) => Promise<Caller>;

/** Counts a request of nobody known, for its address. @throws rateLimited */
export type CountUnknown = (request: Pick<Bearer, 'ip'>, response: TakesHeaders) => Promise<void>;

/** Counts unknown callers of an address together, whatever they call. */
export const createCountUnknown =
  (count: Count): CountUnknown =>
  ({ ip }, response) =>
    count(`address ${ip ?? ''}`, response);

/**
 * Makes the check that counts requests by token, and by address where there is no valid token. It waits while the organization
 * has had its time of the event loop: many requests that come at once are begun in several iterations.
 */
export const createAdmit =
  (authenticate: Authenticate, count: Count, countUnknown: CountUnknown): Admit =>
  async (request, response) => {
    const caller = await authenticate(request).catch(async (error: unknown) => {
      const unknown = error instanceof ApiError && error.code === 'UNAUTHENTICATED';
      if (unknown) await countUnknown(request, response);
      throw error;
    });
    await count(keyOf(caller), response);
    await timeSlices.ifOver(caller.organizationId);
    return caller;
  };

/** The key by which the requests of a caller are counted. */
export const keyOf = ({ tokenId }: Caller): string => `token ${tokenId}`;
