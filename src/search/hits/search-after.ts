import { isStorable } from '#entities/storable.js';
import type { Value } from '../query/predicate.js';
import { wholePart } from '../query/value-of.js';
import { illegalArgument, numberFormat, parsing } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { isNumber, kindOf, scalarText } from '../syntax/value.js';
import { type BoundKey, cursorInstant } from './bound-sort.js';

/** A cursor: the value of a page's last hit for each sort key. Null is a missing text. */
export type Cursor = readonly (Value | null)[];

/** Parses a cursor in the types of the sort keys. */
export const readCursor = (cursor: Input, keys: readonly BoundKey[], now: number): Cursor => {
  if (!cursor.isArray) throw parsing(`Unknown key for a ${kindOf(cursor)} in [search_after].`, cursor);
  const values = cursor.items();
  if (values.length === 0) throw illegalArgument('Values must contains at least one value.', cursor);
  if (keys.length === 0) throw illegalArgument('Sort must contain at least one field.', cursor);
  if (values.length !== keys.length) {
    throw illegalArgument(`search_after has ${values.length} value(s) but sort has ${keys.length}.`, cursor);
  }
  return keys.map((key, index) => valueOf(key, values[index]!, now));
};

const valueOf = (key: BoundKey, input: Input, now: number): Value | null => {
  const text = scalarText(input);
  if (input.isObject || input.isArray)
    throw parsing(
      `Expected [VALUE_STRING] or [VALUE_NUMBER] or [VALUE_BOOLEAN] or [VALUE_NULL] but found [${kindOf(input)}] inside search_after.`,
      input,
    );
  if (key.type === 'text') {
    if (text !== undefined && !isStorable(text))
      throw illegalArgument('A text in [search_after] holds NUL or a lone surrogate.', input);
    return text ?? null;
  }
  if (text === undefined) throw unreadable(key, 'null', input);
  if (key.type === 'timestamp') return cursorInstant(input, now);
  if (key.kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true' ? 1 : 0;
  if (key.type === 'long') {
    const whole = isNumber(text) ? wholePart(text) : undefined;
    if (whole === undefined || BigInt.asIntN(64, whole) !== whole) throw unreadable(key, text, input);
    return `${whole}`;
  }
  if (!isNumber(text) && !/^-?Infinity$/.test(text)) throw unreadable(key, text, input);
  return missingLong(key, text);
};

/** Converts the ends of the long range, which represent missing values, to infinities for a double. */
const missingLong = (key: BoundKey, text: string): string => {
  if (key.kind === 'double' || !isNumber(text) || Math.abs(Number(text)) < 9.2e18) return text;
  return text.startsWith('-') ? '-Infinity' : 'Infinity';
};

const unreadable = (key: BoundKey, text: string, input: Input) =>
  illegalArgument(`Failed to parse search_after value for field [${key.field.path}].`, input, numberFormat(text));
