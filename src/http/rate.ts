import cluster from 'node:cluster';
import { RateLimiterCluster, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { rateLimited } from '#common/errors.js';

/**
 * Counts requests of a caller, one by default, and writes the headers of the rate limit. `requests` may be a fraction.
 * With `isOwed`, the work is already done: the requests are counted even above the limit, and later requests are
 * refused.
 * @throws rateLimited (429) when the caller has sent too many.
 */
export type Count = (key: string, response: TakesHeaders, requests?: number, isOwed?: boolean) => Promise<void>;

/** Receives the headers of the rate limit. A message of a protocol without headers ignores them. */
export interface TakesHeaders {
  setHeader(name: string, value: number): unknown;
}

/**
 * Window of the limit in seconds. It allows twice the rate, so that short bursts pass and the rate holds on average.
 */
const window = 2;

/** Points of the limiter per request: operations of a batch count as hundredths of a request. */
const pointsOfRequest = 100;

/**
 * Creates a rate limit that counts each key separately. Worker processes share the counts, which their primary keeps.
 * @param name what is limited; limits with the same name share their counts.
 * @param perSecond requests per second, twice that in a burst; 0 = no limit.
 */
export const createRateLimit = (name: string, perSecond: number): Count => {
  if (perSecond === 0) return async () => {};
  const most = perSecond * window;
  const options = { keyPrefix: name, points: most * pointsOfRequest, duration: window };
  const limiter = cluster.isWorker ? new RateLimiterCluster(options) : new RateLimiterMemory(options);
  return async (key, response, requests = 1, isOwed = false) => {
    const points = Math.max(1, Math.round(requests * pointsOfRequest));
    if (isOwed) return announce(response, most, await limiter.penalty(key, points));
    // The call itself was already counted as one request.
    if (requests > 1 && requests > most - 1) throw tooLargeAtOnce(Math.ceil(requests) + 1, most);
    try {
      announce(response, most, await limiter.consume(key, points));
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      // Restores the points that the refused call consumed, so that smaller calls still pass.
      const state = requests === 1 ? refusal : await limiter.reward(key, points);
      announce(response, most, state);
      throw tooMany(seconds(refusal));
    }
  };
};

const announce = (response: TakesHeaders, most: number, state: RateLimiterRes): void => {
  response.setHeader('X-RateLimit-Limit', most);
  response.setHeader('X-RateLimit-Remaining', remaining(most, state));
  response.setHeader('X-RateLimit-Reset', seconds(state));
};

/** Returns the number of whole requests that are left. The limiter does not report it after a penalty or a reward. */
const remaining = (most: number, { consumedPoints }: RateLimiterRes): number =>
  Math.min(most, Math.max(0, Math.floor(most - consumedPoints / pointsOfRequest)));

/**
 * Returns the seconds until the window ends, at most one window. After the clock is stepped back, the limiter would
 * report more, because it stores end times but its timers are not affected.
 */
const seconds = ({ msBeforeNext }: RateLimiterRes) => Math.min(window, Math.max(1, Math.ceil(msBeforeNext / 1000)));

/** No wait makes room for such a call, so the error has no `Retry-After`. */
const tooLargeAtOnce = (requests: number, most: number) =>
  rateLimited(`This call counts as ${requests} requests; at most ${most} are allowed at once. Split it.`);

const tooMany = (wait: number) => rateLimited(`Too many requests. Try again in ${wait} s.`, wait);
