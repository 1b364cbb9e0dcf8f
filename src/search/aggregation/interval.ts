import { type Unit, unitMillis } from '../date/calendar.js';
import type { Interval } from '../date/rounding.js';
import { illegalArgument } from '../failure.js';
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

/** `calendar_interval`: just one unit of the calendar, `1M` or `month`. */
export const calendarInterval = (input: Input): Interval => {
  const name = text(input);
  const key = name.length === 1 ? `1${name}` : name;
  const unit = Object.hasOwn(calendarUnits, key) ? calendarUnits[key] : undefined;
  if (unit !== undefined) return { unit };
  throw illegalArgument(`The supplied interval [${name}] could not be parsed as a calendar interval.`, input);
};

/** `fixed_interval`: any number of milliseconds, seconds, minutes, hours or days. */
export const fixedInterval = (input: Input): Interval => {
  const name = text(input);
  const millis = durationOf(name, input);
  if (millis <= 0) throw illegalArgument('Zero or negative time interval not supported', input);
  return { millis };
};

/** The length of a calendar's unit as pipelines take it, a month being 30 days and a year 365; undefined for no unit. */
export const calendarMillis = (name: string): number | undefined => {
  const key = name.length === 1 ? `1${name}` : name;
  const unit = Object.hasOwn(calendarUnits, key) ? calendarUnits[key] : undefined;
  return unit === undefined
    ? undefined
    : { ...unitMillis, month: 30 * unitMillis.day, quarter: 91 * unitMillis.day, year: 365 * unitMillis.day }[unit];
};
