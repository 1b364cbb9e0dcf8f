import sql, { join, type Sql } from 'sql-template-tag';
import { numberOf } from '../../../../../search/aggregation/number-of.js';
import type { KeyFilter } from '../../../../../search/aggregation/option/key-filter.js';
import type { Field } from '../../../../../search/field/field.js';
import { dateReading } from '../../../../../search/query/binding.js';
import { coerce } from '../../../../../search/query/value-of.js';
import type { Input } from '../../../../../search/syntax/input.js';
import { parameter } from '../../sql/condition.js';
import { name } from '../../sql/name.js';
import { keyType, type StoredField } from '../../sql/stored-field.js';
import type { Key } from './bucket.js';
import { excludes, includes } from './key-filter.js';
import type { Planning } from './stage.js';

/** Selects the keys that make buckets. */
interface KeyFilters {
  readonly include?: KeyFilter;
  readonly exclude?: KeyFilter;
}

/** Builds the key of a record from a field's value: each distinct value once, or `missing` without one. */
export const valueKey = (
  field: StoredField,
  missing: Input | undefined,
  index: number,
  planning: Planning,
  { include, exclude }: KeyFilters = {},
): Key => {
  const key = unfilteredKey(field, missing, index, planning);
  const conditions = [
    key.where,
    includes(field, include, key.value, planning),
    excludes(field, exclude, key.value, planning),
  ].filter((one) => one !== undefined);
  return conditions.length === 0 ? key : { ...key, where: join(conditions, ' and ') };
};

const unfilteredKey = (field: StoredField, missing: Input | undefined, index: number, planning: Planning): Key => {
  const instead = missing && missingValue(field, missing, planning);
  const type = keyType(field);
  const alias = name('many', index);
  if (field.values !== undefined) {
    const values = instead ? sql`coalesce(nullif(${field.values}, '{}'), array[${instead}])` : field.values;
    return {
      value: sql`${alias}.v`,
      type,
      fields: [field],
      lateral: sql`(select distinct u.v from unnest(${values}) as u(v)) ${alias}`,
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

/** Returns the own keys of a level over the alias `g` in comparable form: texts by their bytes. */
export const comparableKeys = (fields: readonly Field[], from: number): Sql[] =>
  fields.map(({ kind }, index) =>
    kind === 'keyword' ? sql`g.${name('key', from + index)} collate "C"` : sql`g.${name('key', from + index)}`,
  );
