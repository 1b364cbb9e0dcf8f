import { invalid } from '../errors.js';
import { bucketsIn, intervalFor } from '../records/series-interval.js';
import type { ActivityArgs } from '../schema/activity.args.js';

/** Buckets of one answer. */
const maximum = 1000;
/** Buckets where no length of theirs is given. */
const usual = 100;
const minute = 60;
const hour = 3600;
const day = 86_400;
/** For so long counts are kept by minute, in seconds. */
const minutesFor = 2 * day;

/** Buckets of equal length, one after the other, in Unix seconds. */
export interface Buckets {
  /** Where the first begins. */
  from: number;
  interval: number;
  count: number;
}

/**
 * The buckets that a stretch of time touches; `now` in Unix seconds. `count` takes their number
 * before anything is read for them. `rounded`: they are of counts by minute, which are added up to hours after 48 hours. Throws 422
 * where they are too many, end before they begin, or cut such counts.
 */
export function bucketsOf(
  { from, to, interval }: ActivityArgs,
  now: number,
  count: (objects: number) => void,
  rounded = false,
): Buckets {
  const end = to ?? now;
  const stretch = { from: from ?? end - day, to: end };
  if (stretch.from > end) throw invalid([{ path: 'from', message: 'must not be after `to`' }]);
  const step = !rounded ? 1 : stretch.from < now - minutesFor ? hour : minute;
  const length = interval ?? Math.max(minute, step, intervalFor(stretch, usual));
  if (length % step !== 0) {
    const message = `must be a multiple of ${step}: whole minutes, and whole hours for what lies more than 48 hours back`;
    throw invalid([{ path: 'interval', message }]);
  }
  const buckets = bucketsIn(stretch, length);
  if (buckets > maximum) {
    const message = `makes ${buckets} buckets, which may be at most ${maximum}; take longer ones, or less time`;
    throw invalid([{ path: 'interval', message }]);
  }
  count(buckets);
  return { from: Math.floor(stretch.from / length) * length, interval: length, count: buckets };
}

/** Where each bucket begins, and at last where the last one ends. Unix seconds. */
export const boundsOf = ({ from, interval, count }: Buckets): number[] =>
  Array.from({ length: count + 1 }, (_, index) => from + index * interval);
