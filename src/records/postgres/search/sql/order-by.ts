import sql, { join, type Sql } from 'sql-template-tag';
import type { BoundKey } from '#search/hits/bound-sort.js';
import type { Cursor } from '#search/hits/search-after.js';
import type { SortMode } from '#search/hits/sort.js';
import type { Value } from '#search/query/predicate.js';
import { parameter } from './sql-condition.js';
import { type StoredField, storedField } from './stored-field.js';

/** A sort key with the SQL expression that orders the records. */
export interface SqlOrderKey extends BoundKey {
  /** Expression that is ordered by; null only for missing texts. */
  readonly value: Sql;
}

/** Adds the SQL expression to a sort key. */
export const orderKey = (key: BoundKey): SqlOrderKey => ({ ...key, value: valueOf(key) });

/** SQL order of a sort; the storing order breaks ties. */
export const orderBy = (keys: readonly SqlOrderKey[], tie: Sql = sql`r.seq`): Sql =>
  join([
    ...keys.map(({ value, type, descending, missingFirst }) => {
      const direction = descending ? sql`desc` : sql`asc`;
      if (type !== 'text') return sql`${value} ${direction}`;
      return sql`${value} collate "C" ${direction} ${missingFirst ? sql`nulls first` : sql`nulls last`}`;
    }),
    tie,
  ]);

/** SQL condition of records that come after a cursor. */
export const afterCursor = (keys: readonly SqlOrderKey[], cursor: Cursor): Sql => {
  const bound = keys.map((key, index) => ({ key, value: cursorValue(key, cursor[index]!) }));
  const branches = bound.map(({ key, value }, index) => {
    const equal = bound.slice(0, index).map((earlier) => same(earlier.key, earlier.value));
    return sql`(${join([...equal, after(key, value)], ' and ')})`;
  });
  return sql`(${join(branches, ' or ')})`;
};

const cursorValue = ({ type }: SqlOrderKey, value: Value | null): Sql | null =>
  value === null ? null : parameter[type](value);

const compared = ({ value, type }: SqlOrderKey): Sql => (type === 'text' ? sql`${value} collate "C"` : value);

const same = (key: SqlOrderKey, value: Sql | null): Sql =>
  value === null ? sql`${key.value} is null` : sql`${key.value} = ${value}`;

const after = (key: SqlOrderKey, value: Sql | null): Sql => {
  if (value === null) return key.missingFirst ? sql`${key.value} is not null` : sql`false`;
  const further = key.descending ? sql`${compared(key)} < ${value}` : sql`${compared(key)} > ${value}`;
  return key.type === 'text' && !key.missingFirst ? sql`(${further} or ${key.value} is null)` : further;
};

const valueOf = (key: BoundKey): Sql => {
  const field = cast(storedField(key.field), key);
  const value = field.values === undefined ? field.value : oneOf(field, key);
  const { type, missing } = key;
  if (type === 'timestamp') return value;
  if (missing !== undefined) return sql`coalesce(${value}, ${parameter[type](missing)})`;
  if (type === 'text' || field.always) return value;
  return sql`coalesce(${value}, ${extreme(type, key.descending !== key.missingFirst)})`;
};

/** Converts the numbers of a field to the type that `numeric_type` requests. */
const cast = (field: StoredField, { kind, type }: BoundKey): StoredField => {
  if (field.kind === kind && field.valueType === type) return field;
  const each = type === 'long' ? truncated : (value: Sql) => sql`${value}::float8`;
  const values =
    field.values &&
    sql`(select array_agg(${each(sql`u.v`)} order by u.n) from unnest(${field.values}) with ordinality u(v, n))`;
  return { ...field, value: each(field.value), ...(values && { values }) };
};

/** Converts a double to a long as Java does: it cuts off the fraction, and limits the value to the range of a long. */
const truncated = (value: Sql): Sql =>
  sql`(case when ${value} >= 9223372036854775807 then 9223372036854775807 when ${value} <= -9223372036854775808 then -9223372036854775808 else trunc(${value})::int8 end)`;

const aggregates: Readonly<Record<SortMode, Sql>> = {
  min: sql`min(u.v)`,
  max: sql`max(u.v)`,
  // In ascending order, as in OpenSearch: sums of doubles depend on the order.
  avg: sql`avg(u.v order by u.v)`,
  sum: sql`sum(u.v order by u.v)`,
  median: sql`percentile_cont(0.5) within group (order by u.v)`,
};

const oneOf = ({ values }: StoredField, { kind, type, mode }: BoundKey): Sql => {
  if (kind === 'keyword')
    return sql`(select ${aggregates[mode]} from (select x collate "C" as v from unnest(${values!}) as t(x)) u)`;
  const one = sql`(select ${aggregates[mode]} from unnest(${values!}) as u(v))`;
  if (kind === 'double') return one;
  if (type === 'long') return sql`(select ${longAggregates[mode]} from unnest(${values!}) as u(v))`;
  return rounded(one);
};

/** Rounds halves up, as Java does. */
const rounded = (value: Sql): Sql => sql`floor(${value} + 0.5)`;

/** Sum as a long, which wraps around at the ends of its range as in OpenSearch. */
const wrappedSum = sql`(mod(mod(sum(u.v) + 9223372036854775808, 18446744073709551616) + 18446744073709551616, 18446744073709551616) - 9223372036854775808)`;

const [lower, upper] = [
  sql`percentile_disc(0.5) within group (order by u.v)`,
  sql`percentile_disc(0.5) within group (order by u.v desc)`,
];

/** Aggregates of longs. Only single values stay exact beyond 2^53, because OpenSearch divides in doubles. */
const longAggregates: Readonly<Record<SortMode, Sql>> = {
  min: sql`min(u.v)`,
  max: sql`max(u.v)`,
  sum: sql`${wrappedSum}::int8`,
  avg: sql`case when count(*) < 2 then min(u.v) else ${rounded(sql`${wrappedSum}::float8 / count(*)`)}::int8 end`,
  median: sql`case when count(*) % 2 = 1 then ${lower} else ${truncated(rounded(sql`(${lower}::float8 + ${upper}::float8) / 2`))} end`,
};

/**
 * Value that sorts as a missing one: beyond all others in its direction. Doubles use infinities, whole numbers the ends
 * of a long.
 */
const extreme = (type: BoundKey['type'], smallest: boolean): Sql => {
  if (type !== 'long') return smallest ? sql`'-Infinity'::float8` : sql`'Infinity'::float8`;
  return smallest ? sql`(-9223372036854775808)::int8` : sql`9223372036854775807::int8`;
};
