/** The longest wait that a receiver can ask for with `Retry-After`, in milliseconds. */
const maxRetryAfter = 24 * 3600_000;

/**
 * The wait before the next attempt, in milliseconds: the schedule's, 20 % up or down, or what the receiver asked for,
 * whichever is longer. `undefined` when no attempt remains.
 *
 * @param remaining attempts that remain; counted from the end, so that a redelivery starts the schedule anew
 * @param random a number from 0 up to 1
 * @param requested what the receiver asked for, in milliseconds
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

/** How long a `Retry-After` header asks to wait, in milliseconds: seconds or an HTTP date (RFC 9110, section 10.2.3). */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
