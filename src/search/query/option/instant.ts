import type { Field } from '../../field/field.js';
import type { Input } from '../../syntax/input.js';
import { type Binding, dateReading } from '../binding.js';
import type { Predicate } from '../predicate.js';
import { dateOf } from '../value-of.js';

/** A moment as PostgreSQL takes it; what lies beyond its calendar is at the end of it. */
export const timestamp = (millis: number): string => {
  if (millis > 8.2e15) return 'infinity';
  if (millis < -6.2e13) return '-infinity';
  return new Date(millis).toISOString().replace(/^\+0*/, '');
};

/** The records of a moment, to the millisecond, or of the day, month or year that a text names. */
export const during = (field: Field, value: Input, { now }: Binding, timeZone?: Input): Predicate => {
  const reading = dateReading(now, undefined, timeZone);
  return millisBetween(field, dateOf(value, false, reading), dateOf(value, true, reading));
};

/** Records see milliseconds: the last one is included whole. */
export const millisBetween = (field: Field, from: number | undefined, to: number | undefined): Predicate => ({
  kind: 'range',
  field,
  ...(from === undefined ? {} : { lower: { value: timestamp(from), inclusive: true } }),
  ...(to === undefined ? {} : { upper: { value: timestamp(to + 1), inclusive: false } }),
});
