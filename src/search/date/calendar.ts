import type { Instant } from './zone.js';

/** A unit of the calendar. */
export type Unit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year' | 'second';

/** Milliseconds of the units that always last as long. */
export const unitMillis = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
} as const;

/** The start of the unit that a local time lies in. Weeks start on Monday. */
export const truncate = (local: Instant, unit: Unit): Instant => {
  switch (unit) {
    case 'second':
    case 'minute':
    case 'hour':
    case 'day':
      return local - modulo(local, unitMillis[unit]);
    case 'week':
      // 1970-01-01 was a Thursday.
      return local - modulo(local - 4 * unitMillis.day, unitMillis.week);
    case 'month':
    case 'quarter':
    case 'year':
      return startOfMonths(local, unit);
  }
};

/** A local time, a number of units later; a day that a month does not have becomes its last. */
export const add = (local: Instant, count: number, unit: Unit): Instant => {
  if (unit === 'month') return addMonths(local, count);
  if (unit === 'quarter') return addMonths(local, 3 * count);
  if (unit === 'year') return addMonths(local, 12 * count);
  return local + count * unitMillis[unit];
};

/** The remainder that is never negative. */
export const modulo = (value: number, by: number): number => ((value % by) + by) % by;

const startOfMonths = (local: Instant, unit: 'month' | 'quarter' | 'year'): Instant => {
  const date = new Date(local);
  const month = { month: date.getUTCMonth(), quarter: date.getUTCMonth() - (date.getUTCMonth() % 3), year: 0 }[unit];
  return utcOf(date.getUTCFullYear(), month, 1);
};

const addMonths = (local: Instant, count: number): Instant => {
  const date = new Date(local);
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() + count;
  const [year, month] = [Math.floor(months / 12), modulo(months, 12)];
  const last = new Date(utcOf(year, month + 1, 1) - 1).getUTCDate();
  return utcOf(year, month, Math.min(date.getUTCDate(), last)) + modulo(local, unitMillis.day);
};

/** Like `Date.UTC`, without its reading of years below 100 as 19xx. */
export const utcOf = (year: number, month: number, day: number): Instant =>
  new Date(0).setUTCFullYear(year, month, day);
