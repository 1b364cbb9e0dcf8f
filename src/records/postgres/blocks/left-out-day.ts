import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { noteDays, type Owner, ownedBy, waitForRollups } from '../upkeep/rollup-day.js';
import { isSparseDay, sparseStarts } from '../upkeep/sparse.js';

/*
 * Rollups by device that blocks replace. Where devices have few records a day, a row of record_day takes more space than
 * the records in blocks, whose sums by run answer as fast. Such a day has none (`record_blocked.apart` is false). While
 * its blocks are stale, searches read its hours, or their records.
 */

/**
 * Deletes the rollups by device of a day whose blocks the transaction has written, if its devices have few records; else
 * has those made that an earlier run deleted. Upkeep makes no rollups meanwhile.
 * @param day days since 1970
 */
export const replaceRollups = async (tx: PoolClient, owner: Owner, source: number, day: number): Promise<void> => {
  await waitForRollups(tx);
  const date = sql`'epoch'::date + ${day}::int`;
  const ofDay = sql`source = ${source} and day = ${date}`;
  if (await isSparseDay(tx, source, date)) {
    await deleteRollups(tx, owner, day);
    await tx.query(sql`update record_blocked set apart = false where ${ofDay}`);
    return;
  }
  const made = sql`
    select organization_id, product_id, day::timestamp at time zone 'UTC' as hour
    from record_blocked join record_block_source using (source) where ${ofDay} and not apart`;
  await tx.query(noteDays(made));
  await tx.query(sql`update record_blocked set apart = true where ${ofDay} and not apart`);
};

const deleteRollups = async (tx: PoolClient, owner: Owner, day: number): Promise<void> => {
  const whose = ownedBy(owner);
  const [start, end] = [day, day + 1].map((each) => sql`to_timestamp(${each * 86_400}::float8)`) as [Sql, Sql];
  await tx.query(sql`delete from record_day where ${whose} and day = ${start}`);
  await tx.query(sql`delete from record_dirty_day where ${whose} and day = ${start}`);
  // Hours and summaries that were made before `record_rollup_rule` let them be left out.
  const { rows: hours } = await tx.query<{ hour: string }>(sql`
    select hour from record_total where ${whose} and slot = 0 and apart and hour >= ${start} and hour < ${end}`);
  const starts = hours.map(({ hour }) => hour);
  const sparse = starts.length > 0 ? await sparseStarts(tx, owner, starts, 'hour') : [];
  await tx.query(sql`delete from record_rollup where ${whose} and hour = any(${sparse}::timestamptz[])`);
  await tx.query(sql`
    update record_total set apart = false where ${whose} and slot = 0 and hour = any(${sparse}::timestamptz[])`);
  if (owner.product_id === null) return;
  const { rowCount: apart } = await tx.query(sql`
    update record_summary set apart = false where ${whose} and day = ${start} and apart`);
  if (apart === 0) return;
  await tx.query(sql`delete from record_value where ${whose} and day = ${start}`);
  await tx.query(sql`delete from record_digest where ${whose} and day = ${start}`);
};
