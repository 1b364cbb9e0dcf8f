import { invalid } from '#common/errors.js';
import { daySeconds, hourSeconds, minuteSeconds } from '#common/time.js';
import { bucketsIn, intervalFor } from '#records/series-interval.js';
import type { ActivityArgs } from './activity.args.js';

/** Maximum number of buckets in one answer. */
const maximum = 1000;
/** Default number of buckets, when no length is given. */
const usual = 100;

/** Time for which counts by minute are kept, in seconds. */
const minutesFor = 2 * daySeconds;

/** Consecutive buckets of equal length, in Unix seconds. */
export interface Buckets {
  /** Start of the first bucket. */
  from: number;
  interval: number;
  count: number;
}

/**
 * Returns the buckets that a time range touches.
 * @param now Unix seconds.
 * @param count receives the number of buckets before anything is read for them.
 * @param rounded whether the buckets hold counts that are kept by minute, and only by hour after 48 hours.
 * @throws invalid (422) when there are too many buckets, the range ends before it begins, or a bucket would split a
 * minute or an hour of such counts.
 */
export function bucketsOf(
  { from, to, interval }: ActivityArgs,
  now: number,
  count: (objects: number) => void,
  rounded = false,
): Buckets {
  const end = to ?? now;
  const range = { from: from ?? end - daySeconds, to: end };
  if (range.from > end) throw invalid([{ path: 'from', message: 'must not be after `to`' }]);
  const step = !rounded ? 1 : range.from < now - minutesFor ? hourSeconds : minuteSeconds;
  const length = interval ?? Math.max(minuteSeconds, step, intervalFor(range, usual));
  if (length % step !== 0) {
    const message = `must be a multiple of ${step}: whole minutes, and whole hours in a range that starts more than 48 hours ago`;
    throw invalid([{ path: 'interval', message }]);
  }
  const buckets = bucketsIn(range, length);
  if (buckets > maximum) {
    const message = `makes ${buckets} buckets, and at most ${maximum} are allowed; choose longer buckets or a shorter range`;
    throw invalid([{ path: 'interval', message }]);
  }
  count(buckets);
  return { from: Math.floor(range.from / length) * length, interval: length, count: buckets };
}

/** Returns the start of each bucket, and finally the end of the last one, in Unix seconds. */
export const boundsOf = ({ from, interval, count }: Buckets): number[] =>
  Array.from({ length: count + 1 }, (_, index) => from + index * interval);
