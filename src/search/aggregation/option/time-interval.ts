import { JsonString } from '#json/json.js';
import type { Interval } from '#search/date/rounding.js';
import { illegalArgument, SearchFailure } from '#search/search-failure.js';
import { durationOf } from '#search/syntax/duration.js';
import { Input } from '#search/syntax/input.js';
import type { Shaped } from '#search/syntax/object.js';
import { integer, type Read, scalar, text } from '#search/syntax/value.js';
import { calendarInterval, fixedInterval, isCalendarUnit } from '../interval.js';
import { formatText } from './value-source.js';

/** Parses a time zone: its name, or a number of hours. */
export const zoneText: Read<Input> = (input) => {
  if (input.node.kind === 'number') {
    const hours = integer(input);
    return new Input(new JsonString(input.node, `${hours < 0 ? '-' : '+'}${Math.abs(hours)}:00`), input.path);
  }
  text(input);
  return input;
};

/** Parses the shift of buckets: a duration, or milliseconds. */
const offset: Read<number> = (input) => {
  requireLong(input);
  return input.node.kind === 'number' ? Math.trunc(Number(input.node.text)) : durationOf(text(input), input);
};

/**
 * Checks that a number of milliseconds is a long.
 * @throws SearchFailure beyond its range
 */
export const requireLong = (input: Input): void => {
  if (input.node.kind !== 'number' || Math.abs(Number(input.node.text)) < 2 ** 63) return;
  throw new SearchFailure(
    400,
    'input_coercion_exception',
    `Numeric value (${input.node.text}) out of range of long`,
    input,
  );
};

/** Options of the width of time buckets. */
export const intervalKeys = {
  interval: scalar,
  calendar_interval: (input: Input) => calendarInterval(formatText(input)),
  fixed_interval: (input: Input) => fixedInterval(formatText(input)),
  time_zone: zoneText,
  offset,
} as const;

/** The parsed values of the options in {@link intervalKeys}. */
type Intervals = Shaped<typeof intervalKeys>;

/** Resolves exactly one interval. The old `interval` is a calendar interval if it names a calendar unit, else fixed. */
export const intervalOf = (
  { interval, calendar_interval: calendar, fixed_interval: fixed, time_zone: timeZone, offset = 0 }: Intervals,
  at: Input,
): TimeInterval => {
  const given = [interval, calendar, fixed].filter((one) => one !== undefined);
  if (given.length === 0) throw illegalArgument('Invalid interval specified, must be non-null and non-empty', at);
  if (given.length > 1)
    throw illegalArgument(
      'Cannot use [interval] with [fixed_interval] or [calendar_interval] configuration options.',
      at,
    );
  return { interval: calendar ?? fixed ?? eitherInterval(interval!), ...(timeZone && { timeZone }), offset };
};

const eitherInterval = (input: Input): Interval => {
  if (isCalendarUnit(text(input))) return calendarInterval(input);
  try {
    return fixedInterval(input);
  } catch (error) {
    if (!(error instanceof SearchFailure)) throw error;
    throw illegalArgument(`Unable to parse interval [${text(input)}]`, input);
  }
};

/** Width and offset of time buckets. */
export interface TimeInterval {
  readonly interval: Interval;
  readonly timeZone?: Input;
  /** Milliseconds. */
  readonly offset: number;
}
