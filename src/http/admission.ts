import type { Socket } from 'node:net';
import type { Express } from 'express';
import { ApiError } from '#common/errors.js';
import { timeSlices } from '#scheduling/time-slice.js';
import type { Context } from '#schema/context.js';
import { networkOf } from './client-network.js';
import { type ConnectionLimit, createConnectionLimit } from './connection-limit.js';
import { createInFlight, type InFlight, type InFlightLimits } from './in-flight.js';
import { type Count, createRateLimit, type TakesHeaders } from './rate.js';
import { createRequestQueue, type Enter } from './request-queue.js';

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
 * Admits a request, or throws for its token (401), then for its rate (429). A request without a valid token counts
 * against its IP address before the 401.
 */
export type Admit = (request: Bearer, response: TakesHeaders) => Promise<Caller>;

/**
 * Counts a request without a valid token against its IP address.
 * @throws rateLimited
 */
export type CountUnknown = (request: Pick<Bearer, 'ip'>, response: TakesHeaders) => Promise<void>;

/** Admission control: checks who calls, and limits how much each caller may send and hold. */
export interface Admission {
  /** Limits connections that have not shown a valid token. */
  limit: ConnectionLimit;
  admit: Admit;
  /**
   * Admits calls that post records, with a rate limit of their own. Requests without a valid token share their count
   * with those of `admit`.
   */
  admitIngest: Admit;
  countUnknown: CountUnknown;
  counted: RequestCounter;
  /**
   * Identifies and counts callers in another way while `work` runs. Only for the warm-up, before the service listens:
   * every request meanwhile is admitted so.
   */
  during: <Result>(callers: Callers, work: () => Promise<Result>) => Promise<Result>;
  /** Limits how many requests of an organization run at once. */
  enter: Enter;
  inFlight: InFlight;
}

/** Counts the operations of a graph request once they are parsed. */
export interface RequestCounter {
  /**
   * Counts further requests of a caller, which the organization's usage shows as `calls`.
   * @throws rateLimited
   */
  charge: (caller: Caller, response: TakesHeaders, requests: number, calls?: number) => Promise<void>;
  /** Counts requests of work that was done already. */
  owe: (caller: Caller, response: TakesHeaders, requests: number) => Promise<void>;
}

/** Limits of a process. */
export interface AdmissionLimits {
  /** Connections without a valid token per IP address; 0 is no limit. */
  readonly http: { readonly perAddress: number };
  readonly inFlight: InFlightLimits;
  /** Requests of an organization that run at once. */
  readonly requestsAtOnce: number;
  /** Requests per token and second; 0 is no limit. */
  readonly rateLimit: number;
  /** Calls per token and second that post records; 0 is no limit. */
  readonly ingestRateLimit: number;
}

/** The functions that identify and count callers. */
export interface Callers {
  /**
   * Finds the caller by the `Authorization` header or, if given, a session's cookie.
   * @throws unauthenticated
   */
  authenticate: (header: string | undefined, session?: string) => Promise<Caller>;
  /** Counts calls for the organization's usage. */
  countCalls: (organizationId: string, calls: number) => void;
}

/**
 * Limit for requests of one IP address without a valid token, per second. Each request costs a look-up of the token,
 * and no person sends more.
 */
const unknownRate = 50;

/** Creates the admission control of a process. `app` knows which proxies are trusted. */
export const createAdmission = (config: AdmissionLimits, app: Express, callers: Callers): Admission => {
  let current = callers;
  const isProxy = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const limit = createConnectionLimit(config.http.perAddress, (address) => isProxy(address, 0));
  const identify = async ({ headers, socket, session }: Bearer) => {
    const caller = await current.authenticate(headers.authorization, session);
    limit.authenticated(socket);
    return caller;
  };
  const count = createRateLimit('requests', config.rateLimit);
  const countByAddress = createRateLimit('unknown', Math.min(config.rateLimit, unknownRate));
  const countUnknown: CountUnknown = ({ ip }, response) => countByAddress(`address ${networkOf(ip ?? '')}`, response);
  /**
   * Creates the check that counts requests by token. It waits while the organization has used up its time slice, so
   * that requests that arrive together start in several iterations of the event loop.
   */
  const admitBy =
    (countToken: Count): Admit =>
    async (request, response) => {
      const caller = await identify(request).catch(async (error: unknown) => {
        const unknown = error instanceof ApiError && error.code === 'UNAUTHENTICATED';
        if (unknown) await countUnknown(request, response);
        throw error;
      });
      await countToken(keyOf(caller), response);
      await timeSlices.ifOver(caller.organizationId);
      current.countCalls(caller.organizationId, 1);
      return caller;
    };
  return {
    limit,
    admit: admitBy(count),
    admitIngest: admitBy(createRateLimit('ingestion', config.ingestRateLimit)),
    countUnknown,
    counted: {
      async charge(caller, response, requests, calls = requests) {
        if (requests > 0) await count(keyOf(caller), response, requests);
        if (calls > 0) current.countCalls(caller.organizationId, calls);
      },
      owe: (caller, response, requests) => count(keyOf(caller), response, requests, true),
    },
    async during(others, work) {
      current = others;
      try {
        return await work();
      } finally {
        current = callers;
      }
    },
    enter: createRequestQueue(config.requestsAtOnce),
    inFlight: createInFlight(config.inFlight),
  };
};

/** Returns the key that a caller's requests are counted under. */
const keyOf = ({ tokenId }: Caller): string => `token ${tokenId}`;
