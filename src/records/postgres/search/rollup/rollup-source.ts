import sql, { join, type Sql } from 'sql-template-tag';
import { maxDigestBytes } from '#records/scope/snapshot-reader.js';
import type { Field } from '#search/field/field.js';
import { valueSlots } from '../sql/stored-field.js';
import type { RollupBounds } from './record-source.js';
import { rolledParts } from './rolled-parts.js';
import type { RollupRange } from './rollup-range.js';
import { unrolledParts } from './unrolled-parts.js';

/**
 * Replaces `record r` by rows of rollups. There is a row for each slot and hour (or day, if hours are not needed
 * separately), for all devices of a product together or for each device. Where no up-to-date rollup exists (both ends
 * of the range, and stale hours), there is a row for each record and slot. The columns are those of `record` that need
 * no JSON, and `slot`, `n`, `sum`, `min`, `max` and `sum_squares`. Slot 0 counts records. `device_id` is null for rows
 * of all devices together. If records are counted by the value of a variable, `texts` or `numbers` holds that value in
 * its slot.
 * @param bounds `from` and `to` are ISO 8601, both inclusive.
 */
export const rollupSource = (bounds: RollupBounds, range: RollupRange): Sql =>
  sql`(${join([...rolledParts(bounds, range), ...unrolledParts(bounds, range)], ' union all ')}) r`;

/** Number of records in a row of {@link rollupSource}. Only rows of slot 0 count, so that each record counts once. */
export const recordCount: Sql = sql`case when r.slot = 0 then r.n else 0 end`;

/** Concatenates the digests or sketches of a group. The result is empty bytes if they exceed {@link maxDigestBytes}. */
export const laidTogether =
  (column: Sql) =>
  (where: Sql): Sql =>
    sql`case when sum(octet_length(${column}))${where} > ${maxDigestBytes}::int then ''::bytea else string_agg(${column}, ''::bytea)${where} end`;

/** Expression of a rollup column in rows that hold the field's values, null in all other rows. */
export const rollupColumn = (field: Field, column: Sql): Sql => {
  const slots = valueSlots(field) ?? [];
  const bySlot = [...Map.groupBy(slots, ({ slot }) => slot)].map(
    ([slot, of]) => sql`r.slot = ${slot}::int and r.product_id = any(${of.map(({ productId }) => productId)}::uuid[])`,
  );
  // Without slots, the expression still has the column's type.
  const isOurs = bySlot.length === 0 ? sql`false` : join(bySlot, ' or ');
  return sql`case when ${isOurs} then ${column} end`;
};
