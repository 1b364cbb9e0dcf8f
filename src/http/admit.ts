import type { Socket } from 'node:net';
import { ApiError } from '#common/errors.js';
import { timeSlices } from '#scheduling/time-slice.js';
import type { Context } from '#schema/context.js';
import type { Count, TakesHeaders } from './rate.js';

/** The caller that a token identifies. */
export type Caller = Context['caller'];

/** An HTTP request, or the part of another protocol's connection that carries a token in the same form. */
export interface Bearer {
  readonly headers: { readonly authorization?: string | undefined };
  readonly socket: Socket;
  /** The sender's IP address; behind trusted proxies, that of the client. */
  readonly ip?: string | undefined;
  /** Value of a session's cookie, where it counts in place of a token. */
  readonly session?: string | undefined;
}

/**
 * Identifies the sender of a request by its token.
 * @throws unauthenticated when the token is missing, unknown, expired or revoked.
 */
export type Authenticate = (request: Bearer) => Promise<Caller>;

/**
 * Admits a request, or throws for its token (401), then for its rate (429). A request without a valid token counts
 * against its IP address before the 401.
 */
export type Admit = (request: Bearer, response: TakesHeaders) => Promise<Caller>;

/**
 * Counts a request without a valid token against its IP address.
 * @throws rateLimited
 */
export type CountUnknown = (request: Pick<Bearer, 'ip'>, response: TakesHeaders) => Promise<void>;

/** Creates the counter for requests without a valid token. All operations share one count per IP address. */
export const createCountUnknown =
  (count: Count): CountUnknown =>
  ({ ip }, response) =>
    count(`address ${ip ?? ''}`, response);

/**
 * Creates the check that counts requests by token, or by IP address when there is no valid token. The check waits while
 * the organization has used up its time slice, so that requests that arrive together start in several iterations of the
 * event loop.
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

/** Returns the key that a caller's requests are counted under. */
export const keyOf = ({ tokenId }: Caller): string => `token ${tokenId}`;
