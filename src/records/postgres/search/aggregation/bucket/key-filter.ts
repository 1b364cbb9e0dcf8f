import sql, { join, type Sql } from 'sql-template-tag';
import { numberOf } from '../../../../../search/aggregation/number-of.js';
import type { KeyFilter } from '../../../../../search/aggregation/option/key-filter.js';
import { illegalArgument } from '../../../../../search/failure.js';
import type { Field } from '../../../../../search/field/field.js';
import { dateReading } from '../../../../../search/query/binding.js';
import { parseRegexp } from '../../../../../search/query/lucene/regexp.js';
import { listedKey } from '../../../../../search/query/value-of.js';
import { text } from '../../../../../search/syntax/value.js';
import { parameter } from '../../sql/condition.js';
import { postgresRegexp } from '../../sql/regexp.js';
import type { Planning } from './stage.js';

/** Builds the condition on a key for `include`; undefined for all keys. */
export const includes = (
  field: Field,
  filter: KeyFilter | undefined,
  key: Sql,
  planning: Planning,
): Sql | undefined => {
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
export const excludes = (
  field: Field,
  filter: KeyFilter | undefined,
  key: Sql,
  planning: Planning,
): Sql | undefined => {
  const matching = includes(field, filter, key, planning);
  return matching && sql`not ${matching}`;
};

const valuesOf = (field: Field, values: Extract<KeyFilter, { values: unknown }>['values'], { now }: Planning): Sql[] =>
  values.flatMap((value) => {
    if (field.kind === 'date') return [sql`${`${numberOf(field, value, dateReading(now))}`}::int8`];
    const key = listedKey(field, value);
    return key === 'none' ? [] : [parameter[field.valueType](key.value)];
  });
