import { timeOf } from '#entities/id.js';

/**
 * A range of identifiers, both ends included. Identifiers are UUIDs of version 7, so they are ordered by the time of
 * their making.
 */
export interface Range {
  low: string;
  high: string;
}

/** Maximum distance in time between identifiers of one range, in milliseconds. */
const farApart = 1000;

/** Returns a few ranges that hold these identifiers and little else. */
export const rangesOf = (ids: readonly string[]): Range[] => merge(ids.map((id) => ({ low: id, high: id })));

/** Merges ranges that overlap or lie close together. */
export function merge(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const { low, high } of [...ranges].sort((a, b) => (a.low < b.low ? -1 : 1))) {
    const last = merged.at(-1);
    if (last === undefined || timeOf(low) - timeOf(last.high) > farApart) merged.push({ low, high });
    else if (high > last.high) last.high = high;
  }
  return merged;
}
