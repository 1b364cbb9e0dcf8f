import { type Unit, unitMillis } from '../date/calendar.js';
import type { Interval } from '../date/rounding.js';
import { illegalArgument } from '../search-failure.js';
import { durationOf } from '../syntax/duration.js';
import type { Input } from '../syntax/input.js';
import { text } from '../syntax/value.js';

const calendarUnits: Readonly<Record<string, Unit>> = {
  second: 'second',
  '1s': 'second',
  minute: 'minute',
  '1m': 'minute',
  hour: 'hour',
  '1h': 'hour',
  day: 'day',
  '1d': 'day',
  week: 'week',
  '1w': 'week',
  month: 'month',
  '1M': 'month',
  quarter: 'quarter',
  '1q': 'quarter',
  year: 'year',
  '1y': 'year',
};

const calendarUnit = (name: string): Unit | undefined =>
  Object.hasOwn(calendarUnits, name) ? calendarUnits[name] : undefined;

/** Whether a text is a single calendar unit. */
export const isCalendarUnit = (name: string): boolean => calendarUnit(name) !== undefined;

/** Parses `calendar_interval`: a single calendar unit, `1M` or `month`. */
export const calendarInterval = (input: Input): Interval => {
  const name = text(input);
  const unit = calendarUnit(name);
  if (unit !== undefined) return { unit };
  throw illegalArgument(`The supplied interval [${name}] could not be parsed as a calendar interval.`, input);
};

/**
 * Parses `fixed_interval`: any number of milliseconds, seconds, minutes, hours or days. The old `interval` may also be
 * a number of milliseconds.
 */
export const fixedInterval = (input: Input): Interval => {
  const millis = input.node.kind === 'number' ? Math.trunc(Number(input.node.text)) : durationOf(text(input), input);
  if (millis <= 0) throw illegalArgument('Zero or negative time interval not supported', input);
  return { millis };
};

/** Mean length of a Gregorian year over 400 years. */
const yearMillis = 31_556_952_000;

/**
 * Returns the length of a calendar unit for pipelines, with the mean for months and longer units; undefined for other
 * names.
 */
export const calendarMillis = (name: string): number | undefined => {
  const unit = calendarUnit(name);
  return unit && { ...unitMillis, month: yearMillis / 12, quarter: yearMillis / 4, year: yearMillis }[unit];
};
