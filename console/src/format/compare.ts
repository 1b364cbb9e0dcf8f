import { type ChosenRange, type Ends, isRunning, spanOf } from './range.js';
import { type Span, shifted } from './span.js';
import { formatIn, formatTime, zone } from './time.js';
import { wallClock } from './wall-clock.js';

/** An earlier range that a range is compared with: the one before, of the same kind, or the same a year before. */
export type Comparison = 'previous' | 'year';

/** Lengths of buckets of the calendar. */
export type CalendarUnit = 'hour' | 'day' | 'week' | 'month';

/** An earlier range beside a range. */
export interface Earlier {
  /** The whole earlier range. */
  readonly whole: Ends;
  /** The part of it that had passed at the same time, if the range goes on; the whole otherwise. */
  readonly sofar: Ends;
  /** End of the axis on which both ranges are drawn whole. */
  readonly axisEnd: number;
  /** Returns the place of an earlier instant on the axis of the range. Buckets of the calendar are placed on buckets. */
  readonly place: (at: number, every?: CalendarUnit) => number;
}

/**
 * Returns the earlier range: the month before a month, the same length before another. Instants are placed by what
 * clocks and calendars show, so that days lie on days across changes of the clock.
 */
export const earlierOf = (range: ChosenRange, ends: Ends, comparison: Comparison): Earlier => {
  const { from, to } = ends;
  const own = spanOf(range, ends);
  const step: Span = comparison === 'year' ? { months: 12 } : own;
  const end = isRunning(range) ? shifted(from, own, 1) : to;
  const whole = { from: shifted(from, step, -1), to: shifted(end, step, -1) };
  const place = (at: number, every?: CalendarUnit) => shifted(at, every === undefined ? step : inUnits(step, every), 1);
  const sofar = isRunning(range) ? { ...whole, to: Math.min(whole.to, shifted(to, step, -1)) } : whole;
  return { whole, sofar, axisEnd: Math.max(end, place(whole.to - 1) + 1), place };
};

/** Average number of days of a month. */
const monthDays = 365.2425 / 12;

/** Returns a span as a whole number of buckets of the calendar, so that it moves each bucket onto another. */
const inUnits = (span: Span, every: CalendarUnit): Span => {
  if ('months' in span && every !== 'week') return span;
  const days = 'months' in span ? span.months * monthDays : 'days' in span ? span.days : span.seconds / 86_400;
  if (every === 'month') return { months: Math.round(days / monthDays) };
  if (every === 'week') return { days: Math.round(days / 7) * 7 };
  if ('days' in span) return span;
  return every === 'day' ? { days: Math.round(days) } : { seconds: Math.round(days * 24) * 3600 };
};

/**
 * Moves instants on so that each is after the one before: two fall on one place where a day of 25 hours, or of a longer
 * month, is placed on a shorter one. `interval` is the length of a bucket in seconds.
 */
export const apart = (instants: readonly number[], interval: number): number[] => {
  const placed: number[] = [];
  for (const at of instants) {
    const before = placed.at(-1);
    placed.push(before === undefined || at > before ? at : before + Math.max(1, interval / 2));
  }
  return placed;
};

/** Writes a range: "Oct 1 – 31, 2026"; with times if it does not begin and end at midnight. */
export const rangeText = ({ from, to }: Ends): string => {
  const isOfDays = isMidnight(from) && isMidnight(to);
  const style = isOfDays ? ({ dateStyle: 'medium' } as const) : ({ dateStyle: 'medium', timeStyle: 'short' } as const);
  return formatIn(zone.value, style).formatRange(from * 1000, (isOfDays ? to - 1 : to) * 1000);
};

/** Writes the start of a bucket: the date with its weekday at midnight, otherwise date and time. */
export const startText = (at: number): string =>
  isMidnight(at)
    ? formatIn(zone.value, { weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' }).format(at * 1000)
    : formatTime(at);

const isMidnight = (at: number): boolean => wallClock(at) % 86_400 === 0;
