import { dayMs, hourMs } from '#common/time.js';
import type { Zone } from '#search/date/zone.js';

/** Records of a block that follow one another and belong to one device and one local day. */
export interface Run {
  device: number;
  /** Index of the first record. */
  from: number;
  count: number;
}

/**
 * Splits the records of a block into runs.
 * @param rows records in the order of device and time
 * @param cuts times in microseconds since 1970 at which a run ends, such as local midnights, in order
 */
export const runsOf = (rows: readonly { device: number; ts: number }[], cuts: readonly number[]): Run[] => {
  const runs: Run[] = [];
  let [device, next] = [Number.NaN, 0];
  for (const [index, row] of rows.entries()) {
    if (row.device === device && row.ts < next) {
      runs.at(-1)!.count++;
      continue;
    }
    device = row.device;
    next = cuts.find((cut) => cut > row.ts) ?? Number.POSITIVE_INFINITY;
    runs.push({ device, from: index, count: 1 });
  }
  return runs;
};

/**
 * Returns the times at which a local day begins in a zone, within a range of time.
 * @param from milliseconds since 1970, a whole hour, as is `to`
 * @returns microseconds since 1970
 */
export const midnightsOf = (zone: Zone, from: number, to: number): number[] => {
  const dayAt = (time: number) => Math.floor((time + zone.offsetAt(time)) / dayMs);
  const midnights: number[] = [];
  for (let end = from; end <= to; end += hourMs) {
    let [before, after] = [end - hourMs, end];
    const day = dayAt(after);
    if (dayAt(before) === day) continue;
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (dayAt(middle) === day) after = middle;
      else before = middle;
    }
    if (after >= from && after < to) midnights.push(after * 1000);
  }
  return midnights;
};
