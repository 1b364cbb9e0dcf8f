import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { BucketOrderKey } from '#records/answer/bucket-order.js';
import { name } from '#records/postgres/search/sql/name.js';
import { postgresRegexp } from '#records/postgres/search/sql/postgres-regexp.js';
import { parameter } from '#records/postgres/search/sql/sql-condition.js';
import { keyType, type StoredField } from '#records/postgres/search/sql/stored-field.js';
import { numberOf } from '#search/aggregation/number-of.js';
import type { KeyFilter } from '#search/aggregation/option/key-filter.js';
import type { Field } from '#search/field/field.js';
import { dateReading } from '#search/query/binding.js';
import { parseRegexp } from '#search/query/lucene/regexp.js';
import { coerce, listedKey } from '#search/query/value-of.js';
import { illegalArgument } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import { text } from '#search/syntax/value.js';
import type { Planning, SortColumn } from './aggregation-context.js';
import type { Key } from './bucket.js';

/** Builds the condition on a key for `include`; undefined for all keys. */
const includes = (field: Field, filter: KeyFilter | undefined, key: Sql, planning: Planning): Sql | undefined => {
  if (filter === undefined) return undefined;
  if ('values' in filter) {
    const values = valuesOf(field, filter.values, planning);
    return values.length === 0 ? sql`false` : sql`${key} = any(array[${join(values)}])`;
  }
  if (field.kind !== 'keyword') {
    throw illegalArgument(
      `Aggregation [${field.path}] cannot support regular expression style include/exclude settings as they can only be applied to string fields. Use an array of values for include/exclude clauses`,
      filter.regexp,
    );
  }
  return sql`${key} ~ ${postgresRegexp(parseRegexp(text(filter.regexp), filter.regexp), false)}::text`;
};

/** Builds the condition on a key for `exclude`; undefined for all keys. */
const excludes = (field: Field, filter: KeyFilter | undefined, key: Sql, planning: Planning): Sql | undefined => {
  const matching = includes(field, filter, key, planning);
  return matching && sql`not ${matching}`;
};

const valuesOf = (field: Field, values: Extract<KeyFilter, { values: unknown }>['values'], { now }: Planning): Sql[] =>
  values.flatMap((value) => {
    if (field.kind === 'date') return [sql`${`${numberOf(field, value, dateReading(now))}`}::int8`];
    const key = listedKey(field, value);
    return key === 'none' ? [] : [parameter[field.valueType](key.value)];
  });

interface KeyOptions {
  /** Filters of the keys that make buckets. */
  readonly include?: KeyFilter;
  readonly exclude?: KeyFilter;
  /** Whether equal values of a record are several keys. */
  readonly repeated?: boolean;
}

/** Builds the key of a record from a field's value: each distinct value once, or `missing` without one. */
export const valueKey = (
  field: StoredField,
  missing: Input | undefined,
  index: number,
  planning: Planning,
  { include, exclude, repeated = false }: KeyOptions = {},
): Key => {
  const key = unfilteredKey(field, missing, index, planning, repeated);
  const conditions = [
    key.where,
    includes(field, include, key.value, planning),
    excludes(field, exclude, key.value, planning),
  ].filter((one) => one !== undefined);
  return conditions.length === 0 ? key : { ...key, where: join(conditions, ' and ') };
};

const unfilteredKey = (
  field: StoredField,
  missing: Input | undefined,
  index: number,
  planning: Planning,
  repeated: boolean,
): Key => {
  const instead = missing && missingValue(field, missing, planning);
  const type = keyType(field);
  const alias = name('many', index);
  if (field.values !== undefined) {
    const values = instead ? sql`coalesce(nullif(${field.values}, '{}'), array[${instead}])` : field.values;
    return {
      value: sql`${alias}.v`,
      type,
      fields: [field],
      lateral: sql`(select ${repeated ? empty : sql`distinct `}u.v from unnest(${values}) as u(v)) ${alias}`,
    };
  }
  const value =
    field.kind === 'date'
      ? sql`(extract(epoch from date_trunc('milliseconds', ${field.value})) * 1000)::int8`
      : field.value;
  if (instead !== undefined) return { value: sql`coalesce(${value}, ${instead})`, type, fields: [field] };
  return { value, type, fields: [field], ...(field.always ? {} : { where: sql`${field.value} is not null` }) };
};

const missingValue = (field: StoredField, missing: Input, { now }: Planning): Sql => {
  if (field.kind === 'date') return sql`${`${numberOf(field, missing, dateReading(now))}`}::int8`;
  const coerced = coerce(field, missing);
  return coerced === 'none' ? sql`null::${keyType(field)}` : parameter[field.valueType](coerced.value);
};

/** Returns the own keys of a bucket query over the alias `g` in comparable form: texts by their bytes. */
export const comparableKeys = (fields: readonly Field[], from: number): Sql[] =>
  fields.map(({ kind }, index) =>
    kind === 'keyword' ? sql`g.${name('key', from + index)} collate "C"` : sql`g.${name('key', from + index)}`,
  );

/** Builds the SQL of an order, over the alias `g`. `keys` are the buckets' own keys in comparable form. */
export const orderInSql = (order: readonly BucketOrderKey<SortColumn>[], keys: readonly Sql[]): Sql[] =>
  order.flatMap((key) => {
    const direction = key.descending ? sql`desc` : sql`asc`;
    if (key.by === 'count') return [sql`g.n ${direction}`];
    if (key.by === 'key') return keys.map((own) => sql`${own} ${direction}`);
    const { column, empty } = key.metric;
    if (empty === 'last') return [sql`(${column} is null)`, sql`${column} ${direction}`];
    return [sql`coalesce(${column}::float8, ${empty}::float8) ${direction}`];
  });
