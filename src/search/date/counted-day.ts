import { truncate, unitMillis, utcOf } from './calendar.js';
import type { DateParts } from './iso.js';
import type { Instant } from './zone.js';

/** The digits of the parts that name a day by counting days of a year, or weeks (ISO 8601). Monday is 1. */
export type CountedParts = { [K in 'dayOfYear' | 'weekYear' | 'week' | 'weekDay']?: string | undefined };

/**
 * Returns the date of a day of a year, or of a week and its day, by default the first week and Monday; undefined if the
 * parts name no such day.
 */
export const countedDay = (parts: DateParts & CountedParts): DateParts | undefined => {
  const { year, month, day, dayOfYear, weekYear, week = '1', weekDay = '1' } = parts;
  if (month !== undefined && day !== undefined) return undefined;
  if (year !== undefined && dayOfYear !== undefined) return partsOf(utcOf(Number(year), 0, Number(dayOfYear)));
  if ((year ?? month ?? day) !== undefined || weekYear === undefined) return undefined;
  // The fourth of January lies in the first week.
  const first = truncate(utcOf(Number(weekYear.length === 2 ? `20${weekYear}` : weekYear), 0, 4), 'week');
  return partsOf(first + (Number(week) - 1) * unitMillis.week + (Number(weekDay) - 1) * unitMillis.day);
};

const partsOf = (instant: Instant): DateParts => {
  const date = new Date(instant);
  return { year: `${date.getUTCFullYear()}`, month: `${date.getUTCMonth() + 1}`, day: `${date.getUTCDate()}` };
};
