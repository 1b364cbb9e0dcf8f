import type { Express, Response } from 'express';
import type { Authenticate } from '#auth/authenticate.js';
import type { Config } from '#config/config.js';
import type { Caller } from '#entities/caller.js';
import { type Admit, type Bearer, type CountUnknown, createAdmit, createCountUnknown, keyOf } from '#http/admit.js';
import { type ConnectionLimit, createConnectionLimit } from '#http/connection-limit.js';
import { createInFlight, type InFlight } from '#http/in-flight.js';
import { createRateLimit } from '#http/rate.js';
import { createRequestQueue, type Enter } from '#http/request-queue.js';

/**
 * Limit for requests of one IP address without a valid token, per second. Each request costs a look-up of the token,
 * and no person sends more.
 */
const unknownRate = 50;

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
  /**
   * Counts a request as one without a valid token.
   * @throws rateLimited
   */
  countUnknown: CountUnknown;
  counted: Counted;
  /** Limits how many requests of an organization run at once. */
  enter: Enter;
  inFlight: InFlight;
}

/** Counts the operations of a graph request once they are parsed. */
export interface Counted {
  /**
   * Counts further requests of a caller, which the organization's usage shows as `calls`.
   * @throws rateLimited
   */
  charge: (caller: Caller, response: Response, requests: number, calls?: number) => Promise<void>;
  /** Counts requests of work that was done already. */
  owe: (caller: Caller, response: Response, requests: number) => Promise<void>;
}

/** Creates the admission control of a process. `app` knows which proxies are trusted. */
export const createAdmission = (
  config: Pick<Config, 'http' | 'inFlight' | 'requestsAtOnce' | 'rateLimit' | 'ingestRateLimit'>,
  app: Express,
  authenticate: Authenticate,
  countCalls: (organizationId: string, calls: number) => void,
): Admission => {
  const isProxy = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const limit = createConnectionLimit(config.http.perAddress, (address) => isProxy(address, 0));
  const identify = async ({ headers, socket, session }: Bearer) => {
    const caller = await authenticate(headers.authorization, session);
    limit.authenticated(socket);
    return caller;
  };
  const count = createRateLimit('requests', config.rateLimit);
  const countUnknown = createCountUnknown(createRateLimit('unknown', Math.min(config.rateLimit, unknownRate)));
  const counted =
    (admit: Admit): Admit =>
    async (request, response) => {
      const caller = await admit(request, response);
      countCalls(caller.organizationId, 1);
      return caller;
    };
  return {
    limit,
    admit: counted(createAdmit(identify, count, countUnknown)),
    admitIngest: counted(createAdmit(identify, createRateLimit('ingestion', config.ingestRateLimit), countUnknown)),
    countUnknown,
    counted: {
      async charge(caller, response, requests, calls = requests) {
        if (requests > 0) await count(keyOf(caller), response, requests);
        if (calls > 0) countCalls(caller.organizationId, calls);
      },
      owe: (caller, response, requests) => count(keyOf(caller), response, requests, true),
    },
    enter: createRequestQueue(config.requestsAtOnce),
    inFlight: createInFlight(config.inFlight),
  };
};
