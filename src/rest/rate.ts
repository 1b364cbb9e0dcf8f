import cluster from 'node:cluster';
import { RateLimiterCluster, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { rateLimited } from '../errors.js';

/** Counts requests of a caller, one unless given, and says so in the answer's headers. @throws 429 where there were too many. */
export type Count = (key: string, response: TakesHeaders, requests?: number) => Promise<void>;

/** What is told how much a caller has left; a message of a protocol without headers drops it. */
export interface TakesHeaders {
  setHeader(name: string, value: number): unknown;
}

/** The window in seconds: with twice the rate as its allowance, bursts pass and the rate holds. */
const window = 2;

/**
 * A rate limit for each key; workers share it, their primary counts.
 * @param name what is limited: limits of the same name are one
 * @param perSecond requests a second, twice that in a burst; 0 = no limit.
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

/** Until the window is over. The limiter's timers go on when the clock is stepped back, and its times do not. */
const seconds = ({ msBeforeNext }: RateLimiterRes) => Math.min(window, Math.max(1, Math.ceil(msBeforeNext / 1000)));

const tooMany = (wait: number) => rateLimited(`Too many requests. Try again in ${wait} s.`, wait);
