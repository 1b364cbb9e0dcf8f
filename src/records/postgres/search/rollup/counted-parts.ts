import sql, { empty, join, type Sql } from 'sql-template-tag';
import { measureCount } from '#records/postgres/summary.js';
import type { NumberSlot } from '../sql/stored-field.js';
import { ofProducts, staleTable } from './rollup-part.js';
import type { RollupRange, Whose } from './rollup-range.js';

/**
 * Reads the daily counts of records per value of a variable, as parts of a union. Each row holds the value where a
 * record would hold it, so that expressions over records work unchanged: `texts` or `numbers` is an array whose only
 * element is this value.
 */
export const countedParts = (whose: Whose, range: RollupRange, keys: readonly NumberSlot[]): Sql[] => {
  const { whole, apart } = range;
  const ofDevices = sql` and u.device_id = any(${whose.deviceIds}::uuid[])`;
  return [
    ...(whole.length > 0 ? [part(whose, range, keys, { products: whole, from: sql`record_value_total` })] : []),
    ...(apart.length > 0 ? [part(whose, range, keys, { products: apart, from: sql`record_value`, ofDevices })] : []),
  ];
};

/** Selects daily rows of products as a whole, or of devices. */
interface Rows {
  readonly products: readonly (string | null)[];
  readonly from: Sql;
  readonly ofDevices?: Sql;
}

const part = (
  whose: Whose,
  { from, to, slots, stale }: RollupRange,
  keys: readonly NumberSlot[],
  { products, from: table, ofDevices }: Rows,
): Sql => {
  const fresh =
    stale.length === 0 ? empty : sql` and (u.product_id, u.day) not in (select * from ${staleTable(stale)})`;
  const measure = (place: number) => sql`u.measures[v.slot * ${measureCount}::int + ${place - measureCount}::int]`;
  return sql`
    select u.organization_id, ${ofDevices ? sql`u.device_id` : sql`null::uuid as device_id`}, u.product_id, u.day as ts, v.slot,
      case v.slot when 0 then u.n else ${measure(1)}::int8 end as n, ${measure(2)} as sum, ${measure(3)} as min, ${measure(4)} as max,
      ${measure(5)} as sum_squares, case when u.key < 0 then array_fill(u.value, array[1], array[-u.key]) end as texts,
      case when u.key > 0 then array_fill(u.value::float8, array[1], array[u.key]) end as numbers, null::jsonb as data
    from ${table} u cross join unnest(${[0, ...slots.filter((slot) => slot > 0)]}::int[]) v (slot)
    where ${ofProducts(sql`u`, whose, products)}${ofDevices ?? empty} and ${ofKeys(keys)}
      and u.day >= ${from}::timestamptz and u.day < ${to}::timestamptz${fresh} and (v.slot = 0 or ${measure(1)} is not null)`;
};

/** In most cases, all products keep the variable in the same slot. */
const ofKeys = (keys: readonly NumberSlot[]): Sql => {
  const bySlot = [...Map.groupBy(keys, ({ slot }) => slot)];
  if (bySlot.length === 1) return sql`u.key = ${bySlot[0]![0]}::int`;
  const each = bySlot.map(
    ([slot, of]) => sql`u.key = ${slot}::int and u.product_id = any(${of.map(({ productId }) => productId)}::uuid[])`,
  );
  return sql`(${join(each, ' or ')})`;
};
