import sql, { join, type Sql } from 'sql-template-tag';
import type { BoundKey } from '../../../../search/hits/bound-sort.js';
import type { Cursor } from '../../../../search/hits/search-after.js';
import type { SortMode } from '../../../../search/hits/sort.js';
import type { Value } from '../../../../search/query/predicate.js';
import { parameter } from './condition.js';
import { type StoredField, storedField } from './stored-field.js';

/** A key of a sort with the SQL that records are ordered by. */
export interface OrderKey extends BoundKey {
  /** What is ordered by; null only for texts that are missing. */
  readonly value: Sql;
}

/** How PostgreSQL orders records by a key. */
export const orderKey = (key: BoundKey): OrderKey => ({ ...key, value: valueOf(key) });

/** A sort as SQL; ties are broken by storing order. */
export const orderBy = (keys: readonly OrderKey[], tie: Sql = sql`r.seq`): Sql =>
  join([
    ...keys.map(({ value, type, descending, missingFirst }) => {
      const direction = descending ? sql`desc` : sql`asc`;
      if (type !== 'text') return sql`${value} ${direction}`;
      return sql`${value} collate "C" ${direction} ${missingFirst ? sql`nulls first` : sql`nulls last`}`;
    }),
    tie,
  ]);

/** The condition of records that come after a cursor. */
export const afterCursor = (keys: readonly OrderKey[], cursor: Cursor): Sql => {
  const bound = keys.map((key, index) => ({ key, value: cursorValue(key, cursor[index]!) }));
  const branches = bound.map(({ key, value }, index) => {
    const equal = bound.slice(0, index).map((earlier) => same(earlier.key, earlier.value));
    return sql`(${join([...equal, after(key, value)], ' and ')})`;
  });
  return sql`(${join(branches, ' or ')})`;
};

const cursorValue = ({ type }: OrderKey, value: Value | null): Sql | null =>
  value === null ? null : parameter[type](value);

const compared = ({ value, type }: OrderKey): Sql => (type === 'text' ? sql`${value} collate "C"` : value);

const same = (key: OrderKey, value: Sql | null): Sql =>
  value === null ? sql`${key.value} is null` : sql`${key.value} = ${value}`;

const after = (key: OrderKey, value: Sql | null): Sql => {
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

/** The numbers of a field as what `numeric_type` takes them for. */
const cast = (field: StoredField, { kind, type }: BoundKey): StoredField => {
  if (field.kind === kind && field.valueType === type) return field;
  const each = type === 'long' ? truncated : (value: Sql) => sql`${value}::float8`;
  const values =
    field.values &&
    sql`(select array_agg(${each(sql`u.v`)} order by u.n) from unnest(${field.values}) with ordinality u(v, n))`;
  return { ...field, value: each(field.value), ...(values && { values }) };
};

/** A double as Java makes a long of it: without its fraction, at the ends of a long where it is beyond them. */
const truncated = (value: Sql): Sql =>
  sql`(case when ${value} >= 9223372036854775807 then 9223372036854775807 when ${value} <= -9223372036854775808 then -9223372036854775808 else trunc(${value})::int8 end)`;

const aggregates: Readonly<Record<SortMode, Sql>> = {
  min: sql`min(u.v)`,
  max: sql`max(u.v)`,
  // From the smallest on, as the engines read them: sums of doubles depend on the order.
  avg: sql`avg(u.v order by u.v)`,
  sum: sql`sum(u.v order by u.v)`,
  median: sql`percentile_cont(0.5) within group (order by u.v)`,
};

const oneOf = ({ values }: StoredField, { kind, type, mode }: BoundKey): Sql => {
  if (kind === 'keyword')
    return sql`(select ${aggregates[mode]} from (select x collate "C" as v from unnest(${values!}) as t(x)) u)`;
  const one = sql`(select ${aggregates[mode]} from unnest(${values!}) as u(v))`;
  if (kind === 'double') return one;
  // As Java rounds: a half goes up.
  return type === 'long' ? sql`floor(${one} + 0.5)::int8` : sql`floor(${one} + 0.5)`;
};

/** The value that stands for none: past every other in its direction. Doubles have infinities, whole numbers the ends of a long. */
const extreme = (type: BoundKey['type'], smallest: boolean): Sql => {
  if (type !== 'long') return smallest ? sql`'-Infinity'::float8` : sql`'Infinity'::float8`;
  return smallest ? sql`(-9223372036854775808)::int8` : sql`9223372036854775807::int8`;
};
