import type { Field, FieldKind, ValueType } from '../field/field.js';
import { emptyField } from '../field/reserved.js';
import { type Binding, dateReading, findField } from '../query/binding.js';
import { instantText } from '../query/option/instant.js';
import type { Value } from '../query/predicate.js';
import { dateOf, decimal, largestLong, smallestLong } from '../query/value-of.js';
import { illegalArgument, numberFormat, queryShard } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { isNumber, scalarText } from '../syntax/value.js';
import type { SortKey, SortMode } from './sort.js';

/** A sort key, bound to its field. */
export interface BoundKey {
  readonly field: Field;
  /** Kind as which its values are sorted and shown; `numeric_type` may change it. */
  readonly kind: FieldKind;
  /** Type in which its values are compared with a cursor's. */
  readonly type: ValueType;
  readonly descending: boolean;
  /** Selects the value by which a record with several is sorted. */
  readonly mode: SortMode;
  /** Whether records without a value come first. */
  readonly missingFirst: boolean;
  /** Default for records without a value. */
  readonly missing?: Value;
}

const unmapped: Readonly<Record<string, FieldKind>> = {
  boolean: 'boolean',
  byte: 'long',
  date: 'long',
  double: 'double',
  float: 'double',
  half_float: 'double',
  integer: 'long',
  keyword: 'keyword',
  long: 'long',
  short: 'long',
  text: 'keyword',
  ip: 'keyword',
};

/** Binds sort keys to fields. */
export const bindSort = (keys: readonly SortKey[], binding: Binding): BoundKey[] =>
  keys.map((key) => bindKey(key, binding));

const bindKey = (key: SortKey, binding: Binding): BoundKey => {
  const field = fieldOf(key, binding);
  const { kind, type } = cast(field, key);
  if (kind === 'keyword' && key.mode !== undefined && key.mode !== 'min' && key.mode !== 'max')
    throw queryShard('we only support AVG, MEDIAN and SUM on number based fields', key.at);
  const text = key.missing && scalarText(key.missing);
  const missing =
    text === undefined || text === '_first' || text === '_last' ? undefined : missingValue(key, kind, type);
  return {
    field,
    kind,
    type,
    descending: key.descending,
    mode: key.mode ?? (key.descending ? 'max' : 'min'),
    missingFirst: text === '_first',
    // Every record has a time and an identifier.
    ...(missing !== undefined && type !== 'timestamp' && !(field.always && type !== 'text') && { missing }),
  };
};

const fieldOf = ({ field: path, unmappedType, at }: SortKey, { fields }: Binding): Field => {
  if (path === '_score') return emptyField(path, 'keyword');
  const field = findField(fields, path, at);
  if (field !== undefined && field.kind !== 'geo_point') return field;
  if (field !== undefined)
    throw illegalArgument(
      `can't sort on geo_point field without using specific sorting feature, like geo_distance`,
      at,
    );
  if (unmappedType === undefined) throw queryShard(`No mapping found for [${path}] in order to sort on`, at);
  const kind = Object.hasOwn(unmapped, unmappedType) ? unmapped[unmappedType] : undefined;
  if (kind === undefined) throw illegalArgument(`No mapper found for type [${unmappedType}]`, at);
  return emptyField(path, kind);
};

/** Applies `numeric_type`: whole numbers for `long` and `date`, which have no fractions. */
const cast = (field: Field, { numericType, at }: SortKey): Pick<BoundKey, 'kind' | 'type'> => {
  const own = { kind: field.kind, type: field.valueType };
  if (numericType === undefined || field.path === '_doc' || field.path === '_score') return own;
  if (field.kind === 'keyword' || field.kind === 'geo_point')
    throw queryShard(`[numeric_type] option cannot be set on a non-numeric field, got ${field.kind}`, at);
  if (numericType === 'date_nanos')
    throw illegalArgument('trying to convert a known date time formatter to a nanosecond one, wrong field used?', at);
  const isWhole = numericType !== 'double';
  if (field.kind === 'date' || (isWhole ? field.kind !== 'double' : field.kind === 'double')) return own;
  return isWhole ? { kind: 'long', type: 'long' } : { kind: 'double', type: 'double' };
};

const missingValue = (key: SortKey, kind: FieldKind, type: ValueType): Value => {
  const text = scalarText(key.missing!) ?? '';
  if (type === 'text') return text;
  if (!isNumber(text)) throw illegalArgument(`For input string: "${text}"`, key.missing, numberFormat(text));
  const number = decimal(text, key.missing!);
  if (type !== 'long') return kind === 'double' ? number : Math.trunc(number);
  const whole = BigInt(Math.trunc(number));
  return `${BigInt.asIntN(64, whole) === whole ? whole : whole < 0n ? smallestLong : largestLong}`;
};

/** Converts a cursor's date: seconds to the microsecond, as sort values show it, or a text. */
export const cursorInstant = (input: Input, now: number): string =>
  input.node.kind === 'number' ? microsecondsOf(input.node.text) : instantText(dateOf(input, false, dateReading(now)));

/** Converts a Unix time to a timestamp's text, exact to the microsecond. 1e11 and more are milliseconds. */
export const microsecondsOf = (text: string): string => {
  const seconds = Math.abs(Number(text)) >= 1e11 ? Number(text) / 1000 : Number(text);
  const whole = Math.floor(seconds);
  const instant = instantText(whole * 1000);
  if (instant.endsWith('infinity')) return instant;
  const micros = Math.round((seconds - whole) * 1e6);
  return micros >= 1e6
    ? instantText((whole + 1) * 1000)
    : instant.replace('.000Z', `.${`${micros}`.padStart(6, '0')}Z`);
};
