import type { Pool, PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { hourSeconds, minuteSeconds } from '#common/time.js';
import type { Queryable } from '#database/queryable.js';
import { isConflict, transaction } from '#database/transaction.js';
import { isAlone } from '../upkeep/alone-day.js';
import { type DirtyHour, remakeHours } from '../upkeep/rollup.js';
import { makeDays, ownedBy, waitForRollups } from '../upkeep/rollup-day.js';
import { makeSummaries } from '../upkeep/summary.js';
import { type BlockedDay, deletedDevices, insertRows, loadPaths, readBlockRows } from './block-rows.js';
import { startOf } from './noted-day.js';
import { prepareLong } from './snapshot.js';

/**
 * Time without late records after which the rollups of a day in blocks alone are made again, and maximum delay while late
 * records keep coming, in seconds: each time, all blocks of the day are decoded.
 */
const quiet = 10 * minuteSeconds;
const atMost = 6 * hourSeconds;

/** SQL: the days in blocks alone that are stale, or have stale hours, and are due. */
export const staleAloneDays = (now: Date): Sql => {
  const ago = (seconds: number) => sql`${now}::timestamptz - make_interval(secs => ${seconds})`;
  return sql`
    select organization_id, product_id, date_trunc('day', hour, 'UTC') as day from (
      select organization_id, product_id, hour, noted_at from record_dirty
      union all
      select organization_id, product_id, day, noted_at from record_dirty_day
      union all
      select organization_id, product_id, day, noted_at from record_dirty_summary) d
    where ${isAlone(sql`d.hour`)} group by 1, 2, 3
    having max(noted_at) <= ${ago(quiet)} or min(noted_at) <= ${ago(atMost)}`;
};

/** Number of days that one query finds: a deleted device may have made years stale, and other work waits meanwhile. */
const daysAtOnce = 20;

/** Finds days in blocks alone whose rollups are to be made again. */
export const findStaleAloneDays = async (database: Queryable, now: Date): Promise<BlockedDay[]> => {
  const { rows } = await database.query<BlockedDay>(sql`
    select s.source, d.organization_id, d.product_id, (extract(epoch from d.day) / 86400)::int as day
    from (${staleAloneDays(now)}) d join record_block_source s
      on s.organization_id = d.organization_id and s.product_id is not distinct from d.product_id
    order by random() limit ${daysAtOnce}`);
  return rows;
};

/**
 * Makes the rollups of a day's stale hours again, and those of the day. The records of its blocks and its rows are copied
 * into a temporary table `record`, which hides the table from the statements of the upkeep: they read the same columns.
 * Other upkeep leaves out such days. Does nothing if the day has its rows again.
 */
export const rollUpAloneDay = async (pool: Pool, day: BlockedDay): Promise<void> => {
  try {
    await transaction(pool, (tx) => remakeDay(tx, day));
  } catch (error) {
    // Other rows of the tables have changed since the snapshot. The next run makes the day.
    if (!isConflict(error)) throw error;
  }
};

const remakeDay = async (tx: PoolClient, { source, day, ...owner }: BlockedDay): Promise<void> => {
  await tx.query('set transaction isolation level repeatable read');
  await prepareLong(tx);
  const { rowCount } = await tx.query(sql`
    select from record_blocked where source = ${source} and day = 'epoch'::date + ${day}::int and alone for update`);
  if (rowCount === 0) return;
  const whose = ownedBy(owner);
  // At once, because the upkeep thins out notes while records keep coming.
  const { rows: noted } = await tx.query<DirtyHour>(sql`
    with noted as (
      delete from record_dirty where ${whose} and hour >= ${startOf(day)} and hour < ${startOf(day + 1)} returning hour
    )
    select distinct ${owner.organization_id}::uuid as organization_id, ${owner.product_id}::uuid as product_id, hour from noted`);
  await hideRecords(tx, { source, day, ...owner });
  await waitForRollups(tx);
  if (noted.length > 0) await remakeHours(tx, noted);
  const { rows: starts } = await tx.query<{ day: string }>(sql`
    delete from record_dirty_day where ${whose} and day = ${startOf(day)} returning day`);
  for (const start of starts) await makeDays(tx, [{ ...owner, ...start }]);
  const { product_id } = owner;
  if (product_id === null) return;
  const { rows: summaries } = await tx.query<{ day: string }>(sql`
    delete from record_dirty_summary where ${whose} and day = ${startOf(day)} returning day`);
  for (const start of summaries) await makeSummaries(tx, [{ ...owner, product_id, ...start }]);
};

/** Hides the table `record` until the end of the transaction, by one with the records of a day. */
const hideRecords = async (tx: PoolClient, { source, day, ...owner }: BlockedDay): Promise<void> => {
  const gone = await deletedDevices(tx);
  await tx.query('create temporary table record (like public.record) on commit drop');
  await tx.query(sql`
    insert into pg_temp.record select * from public.record
    where ${ownedBy(owner)} and ts >= ${startOf(day)} and ts < ${startOf(day + 1)}`);
  for await (const rows of readBlockRows(tx, { source, day }, await loadPaths(tx, source)))
    await insertRows(
      tx,
      owner,
      rows.filter(({ device }) => !gone.has(device)),
    );
  await tx.query('create index on pg_temp.record (organization_id, product_id, ts, seq)');
  await tx.query('analyze pg_temp.record');
};
