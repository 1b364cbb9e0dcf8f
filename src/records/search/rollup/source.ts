import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { Field } from '../field/field.js';
import { timestamp } from '../query/bind-term.js';

/** The hours that a query may take from rollups, the slots that it reads, and whose rollups it reads. */
export interface RollupRange {
  /** Start of the first whole hour, and end of the last: ISO 8601. */
  readonly from: string;
  readonly to: string;
  /** Whether the time asked for begins before, and ends after these hours. */
  readonly before: boolean;
  readonly after: boolean;
  readonly slots: readonly number[];
  /** Products whose devices are read together. */
  readonly whole: readonly string[];
  /** Products that are read device by device; null: records of none. */
  readonly apart: readonly (string | null)[];
  /** Hours in the range whose rollups are out of date, in milliseconds. */
  readonly stale: readonly { readonly productId: string | null; readonly hour: number }[];
}

interface Bounds {
  readonly organizationId: string;
  readonly deviceIds: readonly string[];
  readonly from: string;
  readonly to: string;
}

const hourMillis = 3_600_000;
/** Stands for no product where a null would compare with nothing. */
const noProduct = '00000000-0000-0000-0000-000000000000';

const ofProducts = (alias: Sql, products: readonly (string | null)[]): Sql => {
  const some = sql`${alias}.product_id = any(${products.filter((id) => id !== null)}::uuid[])`;
  return products.includes(null) ? sql`(${some} or ${alias}.product_id is null)` : some;
};

/**
 * What stands in for `record r`: a row for each hour and slot from the rollups, of a product's devices together or one by
 * one, and a row for each record and slot where there is no rollup to trust, which are the ends of the range and the hours
 * that are out of date. Columns: those of record that need no JSON, and `slot`, `n`, `sum`, `min`, `max`, `sum_squares`.
 * Slot 0 counts records; `device_id` is null where devices are together.
 */
export const rollupSource = (scope: Bounds, range: RollupRange): Sql => {
  const { organizationId, deviceIds } = scope;
  const { from, to, before, after, slots, whole, apart, stale } = range;
  const within = (alias: Sql, products: readonly (string | null)[]) =>
    sql`${alias}.organization_id = ${organizationId}::uuid and ${ofProducts(alias, products)}`;
  const products = stale.map(({ productId }) => productId ?? noProduct);
  const hours = stale.map(({ hour }) => timestamp(hour));
  const listed = sql`unnest(${products}::uuid[], ${hours}::timestamptz[])`;
  const fresh =
    stale.length === 0
      ? empty
      : sql` and (coalesce(u.product_id, ${noProduct}::uuid), u.hour) not in (select * from ${listed})`;
  const rolled = sql`u.slot = any(${[0, ...slots]}::int[]) and u.hour >= ${from}::timestamptz and u.hour < ${to}::timestamptz${fresh}`;
  const together = sql`
    select u.organization_id, null::uuid as device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
    from record_total u where ${within(sql`u`, whole)} and ${rolled}`;
  const oneByOne = sql`
    select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
    from record_rollup u where ${within(sql`u`, apart)} and u.device_id = any(${deviceIds}::uuid[]) and ${rolled}`;
  // Slot 0 of an array is nothing. No lateral query: that would keep the whole statement from running in parallel, as would
  // columns whose types differ between the parts.
  const ofRecords = (source: Sql, when: Sql) => sql`
    select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot],
      x.numbers[v.slot] * x.numbers[v.slot]
    from ${source} cross join unnest(${[0, ...slots]}::int[]) v (slot)
    where (v.slot = 0 or x.numbers[v.slot] is not null) and ${within(sql`x`, [...whole, ...apart])} and x.device_id = any(${deviceIds}::uuid[]) and ${when}`;
  const between = (lower: Sql, upper: Sql) => sql`x.ts >= ${lower}::timestamptz and x.ts < ${upper}::timestamptz`;
  const first = Math.min(...stale.map(({ hour }) => hour));
  const last = Math.max(...stale.map(({ hour }) => hour)) + hourMillis;
  // With the outermost hours as constants, PostgreSQL leaves other partitions out before it begins.
  const ofStale = (product: Sql) =>
    ofRecords(
      sql`${listed} y (product_id, hour) join record x on ${product} and x.ts >= y.hour and x.ts < y.hour + interval '1 hour'`,
      between(sql`${timestamp(first)}`, sql`${timestamp(last)}`),
    );
  return sql`(${join(
    [
      ...(whole.length > 0 ? [together] : []),
      ...(apart.length > 0 ? [oneByOne] : []),
      ...(before ? [ofRecords(sql`record x`, between(sql`${scope.from}`, sql`${from}`))] : []),
      ...(after
        ? [ofRecords(sql`record x`, sql`x.ts >= ${to}::timestamptz and x.ts <= ${scope.to}::timestamptz`)]
        : []),
      ...(stale.some(({ productId }) => productId !== null) ? [ofStale(sql`x.product_id = y.product_id`)] : []),
      ...(stale.some(({ productId }) => productId === null)
        ? [ofStale(sql`x.product_id is null and y.product_id = ${noProduct}::uuid`)]
        : []),
    ],
    ' union all ',
  )}) r`;
};

/** How many records a row of {@link rollupSource} stands for, each counted once. */
export const recordCount: Sql = sql`case when r.slot = 0 then r.n else 0 end`;

/** A column of the rows that hold a field's values, null in the others. */
export const rollupColumn = ({ places = [] }: Field, column: Sql): Sql => {
  if (places.length === 0) return sql`null::float8`;
  const bySlot = [...Map.groupBy(places, ({ slot }) => slot)].map(
    ([slot, of]) => sql`r.slot = ${slot}::int and r.product_id = any(${of.map(({ productId }) => productId)}::uuid[])`,
  );
  return sql`case when ${join(bySlot, ' or ')} then ${column} end`;
};
