import sql, { type Sql } from 'sql-template-tag';
import { cursorMillis } from '#records/answer/composite.js';
import { plainKey } from '#records/answer/key.js';
import { name } from '#records/postgres/search/sql/name.js';
import { parameter } from '#records/postgres/search/sql/sql-condition.js';
import type { StoredField } from '#records/postgres/search/sql/stored-field.js';
import type { CompositeSource } from '#search/aggregation/composite.js';
import { printOf } from '#search/aggregation/format.js';
import { unsupported } from '#search/aggregation/number-of.js';
import { utc } from '#search/date/zone.js';
import { isNumeric } from '#search/field/field.js';
import { dateReading } from '#search/query/binding.js';
import { coerce } from '#search/query/value-of.js';
import type { Input } from '#search/syntax/input.js';
import { number, scalarText } from '#search/syntax/value.js';
import { histogramKey } from '../histogram.js';
import type { AggregationContext } from './aggregation-context.js';
import type { Key } from './bucket.js';
import { valueKey } from './bucket-key.js';
import { dateBuckets } from './date-bucket.js';

/** One key of composite buckets, bound to its field. */
export interface CompositeKey {
  readonly name: string;
  readonly key: Key;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
  readonly missingBucket: boolean;
  /** SQL of the key of a record as it is compared with a cursor. */
  readonly compared: Sql;
  /** Returns the SQL that orders buckets by this key. */
  ordered(index: number, descending: boolean, nullsFirst: boolean): Sql;
  /** Converts a cursor's value to a parameter. */
  parameter(input: Input): Sql;
  /** Formats a key from an answer. */
  written(answered: unknown): unknown;
  /** Returns a key from an answer without its format, by which pipelines sort. */
  value(answered: unknown): unknown;
}

/** Binds a source. Returns undefined if no record has its field. */
export const compositeKey = (
  source: CompositeSource,
  index: number,
  context: AggregationContext,
): CompositeKey | undefined => {
  const field = context.field(source.field, source.at);
  if (field === undefined) return source.missingBucket ? compositeOf(source, index, nullKey) : undefined;
  if (source.by === 'terms') return compositeOf(source, index, termsKey(source, field, index, context));
  if (source.by === 'histogram') return compositeOf(source, index, numberKey(source, field, index, context));
  return compositeOf(source, index, dateKey(source, field, context));
};

type Part = Pick<CompositeKey, 'key' | 'parameter' | 'written'> &
  Partial<Pick<CompositeKey, 'value'>> & { readonly text?: boolean };

const compositeOf = (
  source: CompositeSource,
  index: number,
  { key, parameter: read, written, value = written, text: isText }: Part,
): CompositeKey => {
  const { where: _where, ...unguarded } = key;
  const lateral =
    source.missingBucket && key.lateral !== undefined
      ? { lateral: sql`(select * from (select 1) one left join lateral ${key.lateral} on true) ${name('many', index)}` }
      : {};
  const collate = isText ? sql` collate "C"` : sql``;
  return {
    name: source.name,
    key: source.missingBucket ? { ...unguarded, ...lateral } : key,
    descending: source.descending,
    // By default, records without a value come where the smallest value would.
    nullsFirst: source.missingFirst ?? !source.descending,
    missingBucket: source.missingBucket,
    compared: sql`${key.value}${collate}`,
    ordered: (place, descending, nullsFirst) =>
      sql`g.${name('key', place)}${collate} ${descending ? sql`desc` : sql`asc`} ${nullsFirst ? sql`nulls first` : sql`nulls last`}`,
    parameter: read,
    written,
    value,
  };
};

const nullKey: Part = {
  key: { value: sql`null::text`, type: sql`text`, fields: [] },
  parameter: (input) => sql`${scalarText(input) ?? ''}::text`,
  written: (key) => key,
};

const termsKey = (source: CompositeSource, field: StoredField, index: number, context: AggregationContext): Part => {
  if (field.kind === 'geo_point') throw unsupported(field, source.by, source.at);
  const print = field.kind === 'date' && source.format === undefined ? undefined : printOf(field, source.format);
  const read = (input: Input): Sql => {
    if (field.kind === 'date') return sql`${`${cursorMillis(source, input, context.planning.now)}`}::int8`;
    const coerced = coerce(field, input);
    return coerced === 'none' ? sql`null` : parameter[field.valueType](coerced.value);
  };
  const value = (answered: unknown) => plainKey(field, answered);
  const written = (answered: unknown) => {
    const key = value(answered);
    if (field.kind === 'boolean') return key === 1;
    return print === undefined || field.kind === 'keyword' ? key : print(Number(key));
  };
  return {
    // The engines count a record once for each of its numbers, also of equal ones, and once for equal texts.
    key: valueKey(field, source.missing, index, context.planning, { repeated: field.kind !== 'keyword' }),
    parameter: read,
    written,
    value,
    text: field.kind === 'keyword',
  };
};

const numberKey = (
  source: Extract<CompositeSource, { by: 'histogram' }>,
  field: StoredField,
  index: number,
  context: AggregationContext,
): Part => {
  if (!isNumeric(field)) throw unsupported(field, source.by, source.at);
  const { interval } = source;
  return {
    key: histogramKey({ ...source, offset: 0 }, context, index, true),
    parameter: (input) => sql`${nearlyWhole(number(input) / interval)}::float8`,
    written: (answered) => Number(answered) * interval,
  };
};

/** Rounds a quotient that differs from a whole number only in its last digits. */
const nearlyWhole = (value: number): number => {
  const whole = Math.round(value);
  return Math.abs(value - whole) <= 1e-9 * Math.max(1, Math.abs(value)) ? whole : value;
};

const dateKey = (
  source: Extract<CompositeSource, { by: 'date_histogram' }>,
  field: StoredField,
  context: AggregationContext,
): Part => {
  if (field.kind !== 'date') throw unsupported(field, source.by, source.at);
  const zone = dateReading(context.planning.now, undefined, source.timeZone).zone ?? utc;
  const buckets = dateBuckets(field, source.interval, zone, source.offset, context.planning.span);
  const print = source.format && printOf(field, source.format, zone);
  return {
    key: buckets.key,
    parameter: (input) => buckets.parameterOf(cursorMillis(source, input, context.planning.now)),
    value: (answered) => buckets.startOf(answered),
    written: (answered) => (print ? print(buckets.startOf(answered)) : buckets.startOf(answered)),
  };
};
