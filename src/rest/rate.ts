import cluster from 'node:cluster';
import { RateLimiterCluster, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { rateLimited } from '../errors.js';

/**
 * Counts requests of a caller, one by default, and writes the headers of the rate limit.
 * @throws rateLimited (429) when the caller has sent too many.
 */
export type Count = (key: string, response: TakesHeaders, requests?: number) => Promise<void>;

/** Receives the headers of the rate limit. A message of a protocol without headers ignores them. */
export interface TakesHeaders {
  setHeader(name: string, value: number): unknown;
}

/**
 * Window of the limit in seconds. It allows twice the rate, so that short bursts pass and the rate holds on average.
 */
const window = 2;

/**
 * Creates a rate limit that counts each key separately. Worker processes share the counts, which their primary keeps.
 * @param name what is limited; limits with the same name share their counts.
 * @param perSecond requests per second, twice that in a burst; 0 = no limit.
 */
export const createRateLimit = (name: string, perSecond: number): Count => {
  if (perSecond === 0) return async () => {};
  const points = perSecond * window;
  const options = { keyPrefix: name, points, duration: window };
  const limiter = cluster.isWorker ? new RateLimiterCluster(options) : new RateLimiterMemory(options);
  return async (key, response, requests = 1) => {
    try {
      announce(response, points, await limiter.consume(key, requests));
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      announce(response, points, refusal);
      throw tooMany(seconds(refusal));
    }
  };
};

const announce = (response: TakesHeaders, points: number, state: RateLimiterRes): void => {
  response.setHeader('X-RateLimit-Limit', points);
  response.setHeader('X-RateLimit-Remaining', state.remainingPoints);
  response.setHeader('X-RateLimit-Reset', seconds(state));
};

/**
 * Returns the seconds until the window ends. When the clock is stepped back, the limiter's times are too far in the
 * future while its timers are not, so the result is at most one window.
 */
const seconds = ({ msBeforeNext }: RateLimiterRes) => Math.min(window, Math.max(1, Math.ceil(msBeforeNext / 1000)));

const tooMany = (wait: number) => rateLimited(`Too many requests. Try again in ${wait} s.`, wait);
