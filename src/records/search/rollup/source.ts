import sql, { join, type Sql } from 'sql-template-tag';
import type { Field, Place } from '../field/field.js';

/** The hours that a query may take from rollups, and the slots that it reads. */
export interface RollupRange {
  /** Start of the first whole hour, and end of the last: ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly slots: readonly number[];
}

interface Bounds {
  readonly organizationId: string;
  readonly productIds: readonly string[];
  readonly deviceIds: readonly string[];
  readonly from: string;
  readonly to: string;
}

/**
 * What stands in for `record r`: a row for each hour, device and slot from the rollups, and a row for each record and slot
 * where there is no rollup to trust, which are the ends of the range and the hours that are out of date. Columns: those of
 * record that need no JSON, and `slot`, `n`, `sum`, `min`, `max`, `sum_squares`. Slot 0 counts records.
 */
export const rollupSource = (scope: Bounds, { from, to, slots }: RollupRange): Sql => {
  const { organizationId, productIds, deviceIds } = scope;
  const whose = (alias: Sql) =>
    sql`${alias}.organization_id = ${organizationId}::uuid and ${alias}.product_id = any(${productIds}::uuid[])`;
  const stale = sql`select distinct product_id, hour from record_dirty y
    where ${whose(sql`y`)} and y.hour >= ${from}::timestamptz and y.hour < ${to}::timestamptz`;
  const values = sql`cross join lateral (
    select 0 as slot, null::float8 as value
    union all
    select place, number from unnest(x.numbers) with ordinality w (number, place)
      where number is not null and place = any(${slots}::int[])) v`;
  const ofRecords = (source: Sql, when: Sql) => sql`
    select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, v.value, v.value, v.value, v.value * v.value
    from ${source} ${values} where ${whose(sql`x`)} and x.device_id = any(${deviceIds}::uuid[]) and ${when}`;
  return sql`(
    select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
    from record_rollup u
    where ${whose(sql`u`)} and u.device_id = any(${deviceIds}::uuid[]) and u.slot = any(${[0, ...slots]}::int[])
      and u.hour >= ${from}::timestamptz and u.hour < ${to}::timestamptz and (u.product_id, u.hour) not in (${stale})
    union all ${ofRecords(sql`record x`, sql`x.ts >= ${scope.from}::timestamptz and x.ts < ${from}::timestamptz`)}
    union all ${ofRecords(sql`record x`, sql`x.ts >= ${to}::timestamptz and x.ts <= ${scope.to}::timestamptz`)}
    union all ${ofRecords(
      sql`(${stale}) y join record x on x.product_id = y.product_id and x.ts >= y.hour and x.ts < y.hour + interval '1 hour'`,
      sql`true`,
    )}
  ) r`;
};

/** How many records a row of {@link rollupSource} stands for, each counted once. */
export const recordCount: Sql = sql`case when r.slot = 0 then r.n else 0 end`;

/** A column of the rows that hold a field's values, null in the others. */
export const rollupColumn = ({ places = [] }: Field, column: Sql): Sql => {
  if (places.length === 0) return sql`null::float8`;
  const of = ({ productId, slot }: Place) => sql`r.product_id = ${productId}::uuid and r.slot = ${slot}::int`;
  return sql`case when ${join(places.map(of), ' or ')} then ${column} end`;
};
