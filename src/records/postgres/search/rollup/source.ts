import sql, { join, type Sql } from 'sql-template-tag';
import type { Field } from '../../../../search/field/field.js';
import { maxDigestBytes } from '../snapshot-reader.js';
import { valueSlots } from '../sql/stored-field.js';
import type { RollupRange, Whose } from './range.js';
import { rolledParts } from './rolled.js';
import { unrolledParts } from './unrolled.js';

/**
 * What stands in for `record r`: a row for each hour (or day, where hours are not told apart) and slot from the rollups, of a
 * product's devices together or one by one, and a row for each record and slot where there is no rollup to trust, which are
 * the ends of the range and the hours that are out of date. Columns: those of record that need no JSON, and `slot`, `n`,
 * `sum`, `min`, `max`, `sum_squares`. Slot 0 counts records; `device_id` is null where devices are together. Where records are
 * told apart by the value of a variable, `texts` or `numbers` has that value in its place.
 * @param bounds `from` and `to` are ISO 8601, both included.
 */
export const rollupSource = (bounds: Whose & { from: string; to: string }, range: RollupRange): Sql =>
  sql`(${join([...rolledParts(bounds, range), ...unrolledParts(bounds, range)], ' union all ')}) r`;

/** How many records a row of {@link rollupSource} stands for, each counted once. */
export const recordCount: Sql = sql`case when r.slot = 0 then r.n else 0 end`;

/** Digests or sketches of a group behind each other; an empty text where they are more than one statement may answer. */
export const laidTogether =
  (column: Sql) =>
  (where: Sql): Sql =>
    sql`case when sum(octet_length(${column}))${where} > ${maxDigestBytes}::int then ''::bytea else string_agg(${column}, ''::bytea)${where} end`;

/** A column of the rows that hold a field's values, null in the others. */
export const rollupColumn = (field: Field, column: Sql): Sql => {
  const slots = valueSlots(field) ?? [];
  const bySlot = [...Map.groupBy(slots, ({ slot }) => slot)].map(
    ([slot, of]) => sql`r.slot = ${slot}::int and r.product_id = any(${of.map(({ productId }) => productId)}::uuid[])`,
  );
  // Without slots it still has the column's type.
  const isOurs = bySlot.length === 0 ? sql`false` : join(bySlot, ' or ');
  return sql`case when ${isOurs} then ${column} end`;
};
