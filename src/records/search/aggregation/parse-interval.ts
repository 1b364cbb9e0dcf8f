import { illegalArgument } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { anything, type Read, text } from '../syntax/value.js';
import type { HistogramBounds, TimeInterval } from './aggregation.js';

/** Reads the bounds of a histogram. */
export const bounds: Read<HistogramBounds> = (input) => {
  const { min, max } = object('bounds', { min: anything, max: anything })(input);
  return { ...(min && !min.isNull && { min }), ...(max && !max.isNull && { max }) };
};

/** The keys that say how wide buckets of time are. */
export const intervalKeys = {
  interval: anything,
  calendar_interval: anything,
  fixed_interval: anything,
  time_zone: anything,
  offset: anything,
} as const;

/** What {@link intervalKeys} read. */
type Intervals = { [K in keyof typeof intervalKeys]?: Input };

/** Just one interval; the old `interval` is a calendar's where it names a unit of the calendar, else fixed. */
export const intervalOf = (
  { interval, calendar_interval: calendar, fixed_interval: fixed, time_zone: timeZone, offset }: Intervals,
  at: Input,
): TimeInterval => {
  const given = [interval, calendar, fixed].filter((one) => one !== undefined);
  if (given.length === 0) throw illegalArgument('Invalid interval specified, must be non-null and non-empty', at);
  if (given.length > 1)
    throw illegalArgument(
      'Cannot use [interval] with [fixed_interval] or [calendar_interval] configuration options.',
      at,
    );
  const rest = { ...(timeZone && { timeZone }), ...(offset && { offset }) };
  if (calendar !== undefined) return { calendarInterval: calendar, ...rest };
  if (fixed !== undefined) return { fixedInterval: fixed, ...rest };
  const isUnit = /^(?:1?[smhdwMqy]|second|minute|hour|day|week|month|quarter|year)$/.test(text(interval!));
  return isUnit ? { calendarInterval: interval!, ...rest } : { fixedInterval: interval!, ...rest };
};
