import { addUnits, modulo, truncate, type Unit, unitMillis } from './calendar.js';
import { gapAt, type Instant, validOffsets, type Zone } from './zone.js';

/** Width of date buckets: a calendar unit, or a fixed number of milliseconds. */
export type Interval = { readonly unit: Unit } | { readonly millis: number };

/**
 * Boundaries of buckets: the engines' rounding (`org.opensearch.common.Rounding`), including daylight-saving changes.
 */
export interface Rounding {
  /** Returns the start of the bucket that contains an instant. */
  round(instant: Instant): Instant;
  /** Returns the start of the bucket after the one that starts here. */
  next(start: Instant): Instant;
}

/**
 * Creates the rounding of an interval in a zone.
 * @param offset shift of every bucket in elapsed milliseconds
 */
export const roundingOf = (interval: Interval, zone: Zone, offset = 0): Rounding => {
  const base = 'millis' in interval ? fixedRounding(interval.millis, zone) : calendarRounding(interval.unit, zone);
  if (offset === 0) return base;
  return {
    round: (instant) => base.round(instant - offset) + offset,
    next: (start) => base.next(start - offset) + offset,
  };
};

/**
 * Returns the starts of all buckets from that of `from` to that of `to`; undefined if there are more than `maxCount`.
 */
export const boundaries = (rounding: Rounding, from: Instant, to: Instant, maxCount: number): Instant[] | undefined => {
  const starts: Instant[] = [];
  for (let start = rounding.round(from); start <= to; ) {
    starts.push(start);
    const next = rounding.next(start);
    if (starts.length > maxCount || !(next > start)) return undefined;
    start = next;
  }
  return starts;
};

/**
 * Returns the length of an interval in milliseconds, apart from changes of the zone's offset; undefined for months and
 * longer.
 */
export const uniformMillis = (interval: Interval): number | undefined => {
  if ('millis' in interval) return interval.millis;
  return interval.unit === 'month' || interval.unit === 'quarter' || interval.unit === 'year'
    ? undefined
    : unitMillis[interval.unit];
};

const floorTo = (value: number, by: number) => value - modulo(value, by);

const fixedRounding = (millis: number, zone: Zone): Rounding => {
  const round = (instant: Instant): Instant => {
    const start = floorTo(instant + zone.offsetAt(instant), millis);
    const offsets = validOffsets(zone, start);
    if (offsets.length === 0) return gapAt(zone, start).instant;
    const change = zone.fixed === undefined ? lastChange(zone, start - offsets[0]!, instant) : undefined;
    for (const offset of offsets.toReversed()) {
      const candidate = start - offset;
      // Rounding down across a change of offset would be wrong, so this rounds the instant just before the change.
      if (change !== undefined && candidate < change) return round(change - 1);
      if (instant >= candidate) return candidate;
    }
    return start - offsets[0]!;
  };
  return { round, next: nextOf(round, millis, zone) };
};

/**
 * Creates the function that returns the next start: after the length of a bucket or, if the offset changes, the first
 * instant of another bucket.
 */
const nextOf =
  (round: Rounding['round'], millis: number, zone: Zone): Rounding['next'] =>
  (start) => {
    if (zone.transitions(start - 1, start + millis).length === 0) return start + millis;
    let [low, high] = [start, start + millis + unitMillis.day];
    while (high - low > 1) {
      const middle = low + Math.floor((high - low) / 2);
      if (round(middle) > start) high = middle;
      else low = middle;
    }
    return high;
  };

const calendarRounding = (unit: Unit, zone: Zone): Rounding => {
  if (unit === 'hour' || unit === 'minute' || unit === 'second') return clockRounding(unitMillis[unit], unit, zone);
  const firstOf = (local: Instant) => {
    const [offset] = validOffsets(zone, local);
    return offset === undefined ? gapAt(zone, local).instant : local - offset;
  };
  const start = (instant: Instant) => truncate(instant + zone.offsetAt(instant), unit);
  return { round: (instant) => firstOf(start(instant)), next: (begin) => firstOf(addUnits(start(begin), 1, unit)) };
};

const clockRounding = (millis: number, unit: Unit, zone: Zone): Rounding => {
  const round = (instant: Instant): Instant => {
    const truncated = instantAtOffset(truncate(instant + zone.offsetAt(instant), unit), zone, instant);
    const change = lastChange(zone, truncated, instant);
    return change === undefined || change <= truncated ? truncated : round(change - 1);
  };
  return { round, next: nextOf(round, millis, zone) };
};

const instantAtOffset = (local: Instant, zone: Zone, instant: Instant) => local - zone.offsetAt(instant);

/** Returns the last change of a zone's offset after `from`, up to and including `to`. */
const lastChange = (zone: Zone, from: Instant, to: Instant): Instant | undefined =>
  zone.transitions(from, to).at(-1)?.instant;
