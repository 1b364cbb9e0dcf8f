import { isStorable } from '#entities/storable.js';
import { defaultDateFormat, instantOfNumber } from '../date/date-format.js';
import { type DateReading, readDate } from '../date/date-input.js';
import type { Instant } from '../date/zone.js';
import type { Field } from '../field/field.js';
import { numberFormat, queryShard } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { isNumber, scalarText } from '../syntax/value.js';
import type { Value } from './predicate.js';

/** A value of a request in the type of its field. `none` means that no record can have it. */
export type Coerced = { readonly value: Value } | 'none';

/** Limits of a long. */
export const smallestLong = -(2n ** 63n);
export const largestLong = 2n ** 63n - 1n;

/**
 * Converts a value of a request to a value of a number, boolean or text field.
 * @throws SearchFailure if it has no such value
 */
export const coerce = (field: Field, input: Input): Coerced => {
  const text = scalarText(input) ?? '';
  switch (field.kind) {
    case 'long':
      return wholeNumber(field, text, input);
    case 'double':
      return { value: decimal(text, input) };
    case 'boolean':
      return { value: truth(text, input) };
    case 'keyword':
      return isStorable(text) ? { value: text } : 'none';
    case 'date':
    case 'geo_point':
      throw queryShard(`Field [${field.path}] of type [${field.kind}] does not support exact values`, input);
  }
};

/**
 * Converts a value of a list of bucket keys. For whole numbers it is rounded down and limited to the range of a long.
 */
export const listedKey = (field: Field, input: Input): Coerced => {
  if (field.kind !== 'long' && field.kind !== 'double') return coerce(field, input);
  const text = scalarText(input) ?? '';
  const number = javaNumber(text);
  if (number === undefined) throw badNumber(text, input);
  if (field.kind === 'double') return { value: number };
  const exact = isNumber(text) ? wholePart(text) : undefined;
  const whole = exact ?? (Number.isFinite(number) ? BigInt(Math.floor(number)) : endOf(number));
  const long = whole < smallestLong ? smallestLong : whole > largestLong ? largestLong : whole;
  return { value: field.valueType === 'long' ? `${long}` : Number(long) };
};

/** Converts a number that is not finite to a whole number. */
const endOf = (number: number): bigint => (Number.isNaN(number) ? 0n : number > 0 ? largestLong : smallestLong);

/**
 * Parses a number as Java does: surrounding blanks, `Infinity`, `NaN`, a trailing `d` or `f`; undefined for other
 * texts.
 */
const javaNumber = (text: string): number | undefined => {
  const [, digits = ''] = /^\s*([+-]?(?:NaN|Infinity|[\d.]+(?:[eE][+-]?\d+)?))[dDfF]?\s*$/.exec(text) ?? [];
  return isNumber(digits) || /^[+-]?(?:NaN|Infinity)$/.test(digits) ? Number(digits) : undefined;
};

/** Parses one end of a range of doubles. It may be infinite; `NaN` counts as beyond every number. */
export const decimalEnd = (text: string, input: Input): number => {
  const value = javaNumber(text);
  if (value === undefined) throw badNumber(text, input);
  return Number.isNaN(value) ? Number.POSITIVE_INFINITY : value;
};

/** Parses a finite decimal number. */
export const decimal = (text: string, input: Input): number => {
  const value = javaNumber(text);
  if (value === undefined) throw badNumber(text, input);
  if (!Number.isFinite(value))
    throw queryShard(`failed to create query: [double] supports only finite values, but got [${value}]`, input, {
      type: 'illegal_argument_exception',
      reason: `[double] supports only finite values, but got [${value}]`,
    });
  return value;
};

const wholeNumber = (field: Field, text: string, input: Input): Coerced => {
  const value = javaNumber(text);
  // Infinities and NaN have no remainder, so they reach the error of `wholeEnd`.
  if (value !== undefined && value % 1 !== 0) return 'none';
  return { value: wholeEnd(field, text, input) };
};

/** Parses a whole number as one end of a range. */
export const wholeEnd = (field: Field, text: string, input: Input): Value => {
  const exact = isNumber(text) && text === text.trim() ? wholePart(text) : undefined;
  if (exact === undefined) throw badNumber(text, input);
  if (exact < smallestLong || exact > largestLong) {
    throw queryShard(`failed to create query: Value [${text}] is out of range for a long`, input, {
      type: 'illegal_argument_exception',
      reason: `Value [${text}] is out of range for a long`,
    });
  }
  return field.valueType === 'long' ? `${exact}` : Number(exact);
};

/** Returns the exact whole number of a decimal text; undefined if it has a fraction. */
export const wholePart = (text: string): bigint | undefined => {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text.trim()) ?? [];
  const shift = Number(power);
  if (Math.abs(shift) > 400)
    return shift > 0 && /[1-9]/.test(whole + fraction) ? 2n ** 64n : /[1-9]/.test(whole + fraction) ? undefined : 0n;
  const digits = `${whole}${fraction}${'0'.repeat(Math.max(0, shift - fraction.length))}`;
  const point = Math.max(0, whole.length + shift);
  if (/[1-9]/.test(whole.length + shift < 0 ? digits : digits.slice(point))) return undefined;
  const value = BigInt(digits.slice(0, point) || '0');
  return sign === '-' ? -value : value;
};

const truth = (text: string, input: Input): number => {
  if (text === 'true') return 1;
  if (text === 'false') return 0;
  throw queryShard(`failed to create query: Can't parse boolean value [${text}], expected [true] or [false]`, input, {
    type: 'illegal_argument_exception',
    reason: `Can't parse boolean value [${text}], expected [true] or [false]`,
  });
};

const badNumber = (text: string, input: Input) =>
  queryShard(`failed to create query: For input string: "${text}"`, input, {
    ...numberFormat(text),
    ...(javaNumber(text) !== undefined && { type: 'illegal_argument_exception' }),
  });

/**
 * Converts a date of a request to milliseconds. The unit of numbers follows from their size, unless there is a format.
 */
export const dateOf = (input: Input, roundUp: boolean, reading: DateReading): Instant => {
  const text = scalarText(input) ?? '';
  if (input.node.kind === 'number' && reading.format === defaultDateFormat) return instantOfNumber(Number(text));
  return readDate(text, roundUp, reading, input);
};
