import type { Instant } from './zone.js';

export type Unit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year' | 'second';

/** Milliseconds of the units with a fixed length. */
export const unitMillis = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
} as const;

/** Returns the start of the unit that contains a local time. Weeks start on Monday. */
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

/** Adds a number of units to a local time. A day that the month lacks becomes its last day. */
export const addUnits = (local: Instant, count: number, unit: Unit): Instant => {
  if (unit === 'month') return addMonths(local, count);
  if (unit === 'quarter') return addMonths(local, 3 * count);
  if (unit === 'year') return addMonths(local, 12 * count);
  return local + count * unitMillis[unit];
};

/** Returns the non-negative remainder. */
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

/** Works like `Date.UTC`, but does not read years below 100 as 19xx. */
export const utcOf = (year: number, month: number, day: number): Instant =>
  new Date(0).setUTCFullYear(year, month, day);
