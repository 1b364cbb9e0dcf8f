import type { Field } from '#search/field/field.js';
import type { Input } from '#search/syntax/input.js';
import { type Binding, dateReading } from '../binding.js';
import type { Predicate } from '../predicate.js';
import { dateOf } from '../value-of.js';

/**
 * Formats an instant as ISO 8601 text; `infinity` and `-infinity` beyond the calendars of stores (294276 and 4713 BC in
 * PostgreSQL).
 */
export const instantText = (millis: number): string => {
  if (millis > 8.2e15) return 'infinity';
  if (millis < -6.2e13) return '-infinity';
  return new Date(millis).toISOString().replace(/^\+0*/, '');
};

/** Builds the predicate of an instant, to the millisecond, or of the day, month or year that a text names. */
export const during = (field: Field, value: Input, { now }: Binding, timeZone?: Input): Predicate => {
  const reading = dateReading(now, undefined, timeZone);
  return millisBetween(field, dateOf(value, false, reading), dateOf(value, true, reading));
};

/** Builds the predicate of a range of milliseconds. The range includes its last millisecond completely. */
export const millisBetween = (field: Field, from: number | undefined, to: number | undefined): Predicate => ({
  kind: 'range',
  field,
  ...(from === undefined ? {} : { lower: { value: instantText(from), inclusive: true } }),
  ...(to === undefined ? {} : { upper: { value: instantText(to + 1), inclusive: false } }),
});
