import { type IdRange, timeOf } from '#entities/id.js';

/** Maximum distance in time between identifiers of one range, in milliseconds. */
const farApart = 1000;

/** Returns a few ranges that hold these identifiers and little else. */
export const idRangesOf = (ids: readonly string[]): IdRange[] => mergeClose(ids.map((id) => ({ low: id, high: id })));

/** Merges ranges that overlap or lie close together. */
export function mergeClose(ranges: readonly IdRange[]): IdRange[] {
  const merged: IdRange[] = [];
  for (const { low, high } of [...ranges].sort((a, b) => (a.low < b.low ? -1 : 1))) {
    const last = merged.at(-1);
    if (last === undefined || timeOf(low) - timeOf(last.high) > farApart) merged.push({ low, high });
    else if (high > last.high) last.high = high;
  }
  return merged;
}
