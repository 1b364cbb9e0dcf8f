import sql, { join, type Sql } from 'sql-template-tag';
import { illegalArgument, numberFormat, parsing } from '../failure.js';
import { storable, wholePart } from '../query/value-of.js';
import type { Input } from '../syntax/input.js';
import { isNumber, kindOf, scalarText } from '../syntax/value.js';
import { type BoundKey, cursorInstant } from './order.js';

/** The condition of records that come after a cursor: the sort values of the last hit of a page. */
export const searchAfter = (cursor: Input, keys: readonly BoundKey[], now: number): Sql => {
  if (!cursor.isArray) throw parsing(`Unknown key for a ${kindOf(cursor)} in [search_after].`, cursor);
  const values = cursor.items();
  if (values.length === 0) throw illegalArgument('Values must contains at least one value.', cursor);
  if (keys.length === 0) throw illegalArgument('Sort must contain at least one field.', cursor);
  if (values.length !== keys.length) {
    throw illegalArgument(`search_after has ${values.length} value(s) but sort has ${keys.length}.`, cursor);
  }
  const bound = keys.map((key, index) => ({ key, value: valueOf(key, values[index]!, now) }));
  const branches = bound.map(({ key, value }, index) => {
    const equal = bound.slice(0, index).map((earlier) => same(earlier.key, earlier.value));
    return sql`(${join([...equal, after(key, value)], ' and ')})`;
  });
  return sql`(${join(branches, ' or ')})`;
};

/** A cursor's value in the type of its key; null is a text that is missing. */
const valueOf = (key: BoundKey, input: Input, now: number): Sql | null => {
  const text = scalarText(input);
  if (input.isObject || input.isArray)
    throw parsing(
      `Expected [VALUE_STRING] or [VALUE_NUMBER] or [VALUE_BOOLEAN] or [VALUE_NULL] but found [${kindOf(input)}] inside search_after.`,
      input,
    );
  if (key.type === 'text') {
    if (text !== undefined && !storable(text))
      throw illegalArgument('A text in [search_after] holds NUL or a lone surrogate.', input);
    return text === undefined ? null : sql`${text}::text`;
  }
  if (text === undefined) throw unreadable(key, 'null', input);
  if (key.type === 'timestamptz') return sql`${cursorInstant(input, now)}::timestamptz`;
  if (key.field.kind === 'boolean' && (text === 'true' || text === 'false'))
    return sql`${text === 'true' ? 1 : 0}::float8`;
  if (key.type === 'int8') {
    const whole = isNumber(text) ? wholePart(text) : undefined;
    if (whole === undefined || BigInt.asIntN(64, whole) !== whole) throw unreadable(key, text, input);
    return sql`${`${whole}`}::int8`;
  }
  if (!isNumber(text) && !/^-?Infinity$/.test(text)) throw unreadable(key, text, input);
  return sql`${missingLong(key, text)}::float8`;
};

/** The ends of a long stand for records without a value, which a double shows as infinities. */
const missingLong = (key: BoundKey, text: string): string => {
  if (key.field.kind === 'double' || !isNumber(text) || Math.abs(Number(text)) < 9.2e18) return text;
  return text.startsWith('-') ? '-Infinity' : 'Infinity';
};

const compared = ({ value, type }: BoundKey): Sql => (type === 'text' ? sql`${value} collate "C"` : value);

const same = (key: BoundKey, value: Sql | null): Sql =>
  value === null ? sql`${key.value} is null` : sql`${key.value} = ${value}`;

const after = (key: BoundKey, value: Sql | null): Sql => {
  if (value === null) return key.missingFirst ? sql`${key.value} is not null` : sql`false`;
  const further = key.descending ? sql`${compared(key)} < ${value}` : sql`${compared(key)} > ${value}`;
  return key.type === 'text' && !key.missingFirst ? sql`(${further} or ${key.value} is null)` : further;
};

const unreadable = (key: BoundKey, text: string, input: Input) =>
  illegalArgument(`Failed to parse search_after value for field [${key.field.path}].`, input, numberFormat(text));
