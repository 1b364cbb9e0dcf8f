import { dateFormatOf, defaultDateFormat } from '../date/date-format.js';
import { utc, type Zone } from '../date/zone.js';
import type { Field, FieldKind } from '../field/field.js';
import { emptyField } from '../field/reserved.js';
import { illegalArgument } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { text } from '../syntax/value.js';
import type { FieldOptions } from './aggregation-node.js';
import { decimalFormatOf } from './decimal-format.js';

/** Formats numbers of an answer as text; undefined if the engines write no text. */
export type Print = ((value: number | bigint) => string) | undefined;

const unformatted: ReadonlySet<FieldKind> = new Set(['keyword', 'boolean', 'geo_point']);

/**
 * Checks that a field can have a format: numbers and dates only.
 * @throws SearchFailure for a format of another field
 */
export const requireFormattable = (field: Field | undefined, format: Input | undefined): void => {
  if (field === undefined || format === undefined || !unformatted.has(field.kind)) return;
  throw illegalArgument(`Field [${field.path}] of type [${field.kind}] does not support custom formats`, format);
};

/** Returns the text form of a field's numbers: always for dates and booleans, for others if a format is given. */
export const printOf = (field: Field | undefined, format: Input | undefined, zone: Zone = utc): Print => {
  if (field?.kind === 'date') {
    const dates = format === undefined ? defaultDateFormat : dateFormatOf(text(format), format);
    return (value) => dates.print(Number(value), zone);
  }
  requireFormattable(field, format);
  if (format !== undefined) return decimalFormatOf(text(format), format);
  return field?.kind === 'boolean' ? (value) => (Number(value) === 0 ? 'false' : 'true') : undefined;
};

/**
 * Returns the text form of a metric's number. The type in the request decides it for a field that no record has.
 */
export const printOfMetric = (field: Field | undefined, { field: path, format, takenFor }: FieldOptions): Print => {
  const hasOwnText = takenFor === 'date' || (takenFor === 'boolean' && format === undefined);
  return printOf(field ?? (hasOwnText ? emptyField(path, takenFor) : undefined), format);
};

/** Formats a number as Java formats a double: `1.0`, `1.0E10`, `1.0E-4`. */
export const javaDouble = (value: number): string => {
  if (!Number.isFinite(value)) return `${value}`;
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-3)) {
    const [digits = '', power = ''] = value.toExponential().split('e');
    return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(power)}`;
  }
  const plain = `${value}`;
  return plain.includes('.') ? plain : `${plain}.0`;
};

/** Returns a value with its text form, if it has one. */
export const withText = (value: number | null, print: Print): Record<string, unknown> => ({
  value,
  ...(value !== null && print !== undefined && { value_as_string: print(value) }),
});
