import { dayMs } from '#common/time.js';

/** Maximum wait that a receiver can request with `Retry-After`, in milliseconds. */
const maxRetryAfter = dayMs;

/**
 * Returns the wait before the next attempt in milliseconds: the schedule's, randomized by ±20 %, or the receiver's
 * request if that is longer. Returns undefined when no attempt remains.
 *
 * @param remaining number of remaining attempts; it counts from the end, so that a redelivery restarts the schedule
 * @param random a number from 0 up to 1
 * @param requested wait that the receiver requested, in milliseconds
 */
export function waitAfter(
  schedule: readonly number[],
  remaining: number,
  random: number,
  requested = 0,
): number | undefined {
  const wait = remaining > 0 ? schedule[Math.max(0, schedule.length - remaining)] : undefined;
  if (wait === undefined) return undefined;
  return Math.round(Math.max(wait * (0.8 + 0.4 * random), Math.min(requested, maxRetryAfter)));
}

/**
 * Returns the wait of a `Retry-After` header in milliseconds: seconds or an HTTP date (RFC 9110, section 10.2.3).
 * Returns undefined without a readable one.
 */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
