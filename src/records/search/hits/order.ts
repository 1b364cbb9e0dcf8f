import sql, { join, type Sql } from 'sql-template-tag';
import { illegalArgument, numberFormat, queryShard } from '../failure.js';
import type { Field, FieldKind } from '../field/field.js';
import { emptyField } from '../field/reserved.js';
import { timestamp } from '../query/bind-term.js';
import { type Binding, dateReading, known } from '../query/binding.js';
import { dateOf, decimal, largestLong, smallestLong } from '../query/value-of.js';
import type { Input } from '../syntax/input.js';
import { isNumber, scalarText } from '../syntax/value.js';
import type { SortKey, SortMode } from './sort.js';

/** A key of a sort, bound: how records are ordered by it, and how its value is shown. */
export interface BoundKey {
  readonly field: Field;
  readonly descending: boolean;
  /** What is ordered by; null only for texts that are missing. */
  readonly value: Sql;
  /** The type that a cursor's value is compared in. */
  readonly type: 'float8' | 'int8' | 'text' | 'timestamptz';
  readonly missingFirst: boolean;
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

/** Binds the keys of a sort to fields. */
export const bindSort = (keys: readonly SortKey[], binding: Binding): BoundKey[] =>
  keys.map((key) => bindKey(key, binding));

/** A bound sort as SQL; ties are broken by storing order. */
export const orderBy = (keys: readonly BoundKey[], tie: Sql = sql`r.seq`): Sql =>
  join([
    ...keys.map(({ value, type, descending, missingFirst }) => {
      const direction = descending ? sql`desc` : sql`asc`;
      if (type !== 'text') return sql`${value} ${direction}`;
      return sql`${value} collate "C" ${direction} ${missingFirst ? sql`nulls first` : sql`nulls last`}`;
    }),
    tie,
  ]);

const bindKey = (key: SortKey, binding: Binding): BoundKey => {
  const field = cast(fieldOf(key, binding), key);
  if (field.kind === 'keyword' && key.mode !== undefined && key.mode !== 'min' && key.mode !== 'max')
    throw queryShard('we only support AVG, MEDIAN and SUM on number based fields', key.at);
  const missing = key.missing && scalarText(key.missing);
  const missingFirst = missing === '_first';
  const base = { field, descending: key.descending, missingFirst };
  const value = field.values === undefined ? field.value : oneOf(field, key.mode ?? (key.descending ? 'max' : 'min'));
  const custom = missing !== undefined && missing !== '_first' && missing !== '_last';
  if (field.storage === 'timestamptz') {
    if (custom) missingNumber(key, field);
    return { ...base, value, type: 'timestamptz' };
  }
  if (field.storage === 'text')
    return { ...base, value: custom ? sql`coalesce(${value}, ${missing}::text)` : value, type: 'text' };
  const type = field.storage === 'int8' ? 'int8' : 'float8';
  if (field.always) return { ...base, value, type };
  const instead = custom ? missingNumber(key, field) : extreme(type, key.descending !== missingFirst);
  return { ...base, value: sql`coalesce(${value}, ${instead})`, type };
};

const fieldOf = ({ field: path, unmappedType, at }: SortKey, { fields }: Binding): Field => {
  if (path === '_score') return emptyField(path, 'keyword');
  const field = known(fields, path, at);
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

/** A field whose numbers are taken for others: whole ones for a `long` or a `date`, which have no fractions. */
const cast = (field: Field, { numericType, at }: SortKey): Field => {
  if (numericType === undefined || field.path === '_doc' || field.path === '_score') return field;
  if (field.kind === 'keyword' || field.kind === 'geo_point')
    throw queryShard(`[numeric_type] option cannot be set on a non-numeric field, got ${field.kind}`, at);
  if (numericType === 'date_nanos')
    throw illegalArgument('trying to convert a known date time formatter to a nanosecond one, wrong field used?', at);
  const isWhole = numericType !== 'double';
  if (field.kind === 'date' || (isWhole ? field.kind !== 'double' : field.kind === 'double')) return field;
  const each = isWhole ? truncated : (value: Sql) => sql`${value}::float8`;
  const values =
    field.values &&
    sql`(select array_agg(${each(sql`u.v`)} order by u.n) from unnest(${field.values}) with ordinality u(v, n))`;
  return {
    ...field,
    kind: isWhole ? 'long' : 'double',
    storage: isWhole ? 'int8' : 'float8',
    value: each(field.value),
    ...(values && { values }),
  };
};

/** A double as Java makes a long of it: without its fraction, at the ends of a long where it is beyond them. */
const truncated = (value: Sql): Sql =>
  sql`(case when ${value} >= 9223372036854775807 then 9223372036854775807 when ${value} <= -9223372036854775808 then -9223372036854775808 else trunc(${value})::int8 end)`;

const aggregates: Readonly<Record<SortMode, Sql>> = {
  min: sql`min(u.v)`,
  max: sql`max(u.v)`,
  avg: sql`avg(u.v)`,
  sum: sql`sum(u.v)`,
  median: sql`percentile_cont(0.5) within group (order by u.v)`,
};

const oneOf = (field: Field, mode: SortMode): Sql => {
  if (field.kind !== 'keyword') {
    const one = sql`(select ${aggregates[mode]} from unnest(${field.values!}) as u(v))`;
    if (field.kind === 'double') return one;
    // As Java rounds: a half goes up.
    return field.storage === 'int8' ? sql`floor(${one} + 0.5)::int8` : sql`floor(${one} + 0.5)`;
  }
  return sql`(select ${aggregates[mode]} from (select x collate "C" as v from unnest(${field.values!}) as t(x)) u)`;
};

/** The value that stands for none: past every other in its direction. Doubles have infinities, whole numbers the ends of a long. */
const extreme = (type: 'int8' | 'float8', smallest: boolean): Sql => {
  if (type === 'float8') return smallest ? sql`'-Infinity'::float8` : sql`'Infinity'::float8`;
  return smallest ? sql`(-9223372036854775808)::int8` : sql`9223372036854775807::int8`;
};

const missingNumber = ({ missing }: SortKey, { kind, storage }: Field): Sql => {
  const text = scalarText(missing!) ?? '';
  if (!isNumber(text)) throw illegalArgument(`For input string: "${text}"`, missing, numberFormat(text));
  const number = decimal(text, missing!);
  if (storage !== 'int8') return sql`${kind === 'double' ? number : Math.trunc(number)}::float8`;
  const whole = BigInt(Math.trunc(number));
  return sql`${`${BigInt.asIntN(64, whole) === whole ? whole : whole < 0n ? smallestLong : largestLong}`}::int8`;
};

/** A cursor's date: seconds to the microsecond, as sort values show it, or a text. */
export const cursorInstant = (input: Input, now: number): string =>
  input.node.kind === 'number' ? microsecondsOf(input.node.text) : timestamp(dateOf(input, false, dateReading(now)));

/** Unix time as a timestamp's text, exact to the microsecond; 1e11 and more are milliseconds. */
export const microsecondsOf = (text: string): string => {
  const seconds = Math.abs(Number(text)) >= 1e11 ? Number(text) / 1000 : Number(text);
  const whole = Math.floor(seconds);
  const instant = timestamp(whole * 1000);
  if (instant.endsWith('infinity')) return instant;
  const micros = Math.round((seconds - whole) * 1e6);
  return micros >= 1e6 ? timestamp((whole + 1) * 1000) : instant.replace('.000Z', `.${`${micros}`.padStart(6, '0')}Z`);
};
