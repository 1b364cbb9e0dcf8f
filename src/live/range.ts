import { timeOf } from '../entities/id.js';

/** Identifiers (UUID version 7, so in the order of their making) from one to another, both included. */
export interface Range {
  low: string;
  high: string;
}

/** Identifiers that were made further apart than this, in milliseconds, do not share a range. */
const farApart = 1000;

/** A few ranges that hold these identifiers and little else. */
export const rangesOf = (ids: readonly string[]): Range[] => merge(ids.map((id) => ({ low: id, high: id })));

/** The same identifiers in fewer ranges. */
export function merge(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const { low, high } of [...ranges].sort((a, b) => (a.low < b.low ? -1 : 1))) {
    const last = merged.at(-1);
    if (last === undefined || timeOf(low) - timeOf(last.high) > farApart) merged.push({ low, high });
    else if (high > last.high) last.high = high;
  }
  return merged;
}
