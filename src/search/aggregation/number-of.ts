import type { DateReading } from '../date/date-input.js';
import type { Field } from '../field/field.js';
import { dateOf, decimal } from '../query/value-of.js';
import { illegalArgument } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { scalarText } from '../syntax/value.js';

/** Converts a value of a request to a number of a field. */
export const numberOf = (field: Field, input: Input, reading: DateReading): number => {
  if (field.kind === 'date') return dateOf(input, false, reading);
  const text = scalarText(input) ?? '';
  if (field.kind === 'boolean') {
    if (text !== 'true' && text !== 'false')
      throw illegalArgument(`Cannot parse boolean [${text}], expected either [true] or [false]`, input);
    return text === 'true' ? 1 : 0;
  }
  return decimal(text, input);
};

/** Creates the error of an aggregation over a field of an unsupported type. */
export const unsupported = (field: Field, kind: string, at: Input) =>
  illegalArgument(`Field [${field.path}] of type [${field.kind}] is not supported for aggregation [${kind}]`, at);
