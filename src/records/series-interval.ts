import { daySeconds } from '#common/time.js';

/** Readable lengths of buckets in seconds. Beyond a day they are whole days. */
const ladder = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10_800, 14_400, 21_600, 28_800, 43_200,
];

/** A time range in Unix seconds, both ends included. */
export interface UnixRange {
  from: number;
  to: number;
}

/** Returns the number of buckets of this length, counted from 1970-01-01T00:00:00Z, that a time range touches. */
export const bucketsIn = ({ from, to }: UnixRange, interval: number): number =>
  Math.floor(to / interval) - Math.floor(from / interval) + 1;

/** Returns the shortest usual length with which a time range touches at most `points` buckets (2 or more). */
export const intervalFor = (range: UnixRange, points: number): number => {
  const usual = ladder.find((interval) => bucketsIn(range, interval) <= points);
  if (usual !== undefined) return usual;
  let days = 1;
  while (bucketsIn(range, days * daySeconds) > points) days += 1;
  return days * daySeconds;
};
