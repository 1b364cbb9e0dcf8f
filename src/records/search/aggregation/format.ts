import { dateFormatOf, defaultDateFormat } from '../date/date-format.js';
import { utc, type Zone } from '../date/zone.js';
import type { Field } from '../field/field.js';
import type { Input } from '../syntax/input.js';
import { text } from '../syntax/value.js';
import { decimalFormatOf } from './decimal-format.js';

/** How numbers of an answer are also written as text; undefined where the engines write none. */
export type Print = ((value: number) => string) | undefined;

/** The text form of a field's numbers: always for dates and booleans, otherwise where a format is asked for. */
export const printOf = (field: Field | undefined, format: Input | undefined, zone: Zone = utc): Print => {
  if (field?.kind === 'date') {
    const dates = format === undefined ? defaultDateFormat : dateFormatOf(text(format), format);
    return (value) => dates.print(value, zone);
  }
  if (format !== undefined) return decimalFormatOf(text(format), format);
  return field?.kind === 'boolean' ? (value) => (value === 0 ? 'false' : 'true') : undefined;
};
