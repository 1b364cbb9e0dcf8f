import type { Pool, PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { transaction } from '#database/transaction.js';
import { noteDays } from '../upkeep/rollup-day.js';
import { deleteFleet } from './fleet-table.js';
import { lockMaking, type NotedDay, noteOf, waitForMaker } from './noted-day.js';

/** Number of days whose blocks one statement deletes. */
const daysAtOnce = 100;

/**
 * Deletes the blocks of days, and has the rollups made again that they replaced. `days` selects `source` and `day`.
 * Returns the number of days.
 * @param which condition on a row `b` of `record_blocked`; by default, days that have rows too
 */
const deleteBlocks = async (database: Queryable, days: Sql, which = sql`not b.alone`): Promise<number> => {
  const { rows: gone } = await database.query<{ source: number; day: number }>(sql`
    with gone as (
      delete from record_blocked b using (${days}) d where b.source = d.source and b.day = d.day and ${which}
      returning b.source, b.day, b.apart
    ), noted as (${noteDays(sql`
      select organization_id, product_id, day::timestamp at time zone 'UTC' as hour
      from gone join record_block_source using (source) where not apart`)}
    ), block as (
      delete from record_block b using gone g where b.source = g.source and b.day = g.day returning b.block
    ), columns as (
      delete from record_block_column c using block b where c.block = b.block
    ), sums as (
      delete from record_block_sum s using block b where s.block = b.block
    ), fleet as (${deleteFleet(sql`select source, day from gone`)}
    )
    select source, day - 'epoch'::date as day from gone`);
  // Again, because sums of all devices may have been written since the statement began.
  if (gone.length > 0)
    await database.query(
      deleteFleet(sql`
        select source, 'epoch'::date + day as day
          from unnest(${gone.map(({ source }) => source)}::int[], ${gone.map(({ day }) => day)}::int[]) g (source, day)`),
    );
  return gone.length;
};

/**
 * Deletes the blocks of days whose records have all expired, with their notes. A day that a maker has read before is
 * given up, because its note is gone.
 * @param whose condition of the owner, on the columns organization_id and product_id
 * @param before time before which records have expired
 */
export const retireBlocks = async (database: Queryable, whose: Sql, before: Sql): Promise<void> => {
  const limit = sql`date_trunc('day', ${before}, 'UTC')`;
  await database.query(sql`delete from record_dirty_block where ${whose} and day < ${limit}`);
  await deleteBlocks(
    database,
    sql`select e.source, e.day from record_blocked e join record_block_source using (source)
        where ${whose} and e.day < (${limit} at time zone 'UTC')::date`,
    sql`true`,
  );
};

/** Selects some days whose blocks differ from their records. */
const stale = sql`
  select e.source, e.day from record_blocked e join record_block_source s using (source)
  join record_dirty_block d on d.organization_id = s.organization_id and d.product_id is not distinct from s.product_id
    and d.day = e.day::timestamp at time zone 'UTC'
  where not e.alone limit ${daysAtOnce}`;

/**
 * Deletes some blocks that differ from their records, so that they keep nothing of deleted records while no process
 * makes blocks. Returns the number of days.
 */
export const dropStale = (database: Queryable): Promise<number> => deleteBlocks(database, stale);

/** Number of days whose rollups one run of upkeep has made again. */
const daysRestored = 20;

/**
 * Notes some days whose rollups blocks replace, and deletes their blocks, while no process makes blocks: upkeep makes
 * the rollups again. Returns the number of days.
 */
export const dropReplacing = (pool: Pool): Promise<number> =>
  transaction(pool, async (tx) => {
    if (!(await lockMaking(tx))) return 0;
    await noteBlocked(tx, sql`where not apart and not alone limit ${daysRestored}`);
    return deleteBlocks(tx, stale);
  });

const noteBlocked = (tx: PoolClient, which: Sql): Promise<unknown> =>
  tx.query(sql`
    insert into record_dirty_block (organization_id, product_id, day)
    select organization_id, product_id, day::timestamp at time zone 'UTC'
    from (select source, day from record_blocked ${which}) b join record_block_source using (source)
    on conflict (organization_id, product_id, day) do update set noted_at = clock_timestamp(), fault = null`);

/** Notes a fault of a day, which then waits for its next change, and deletes its blocks. */
export const noteFault = (pool: Pool, { day, noted_at, ...owner }: NotedDay, fault: string): Promise<number> =>
  transaction(pool, async (tx) => {
    await tx.query(sql`
      update record_dirty_block set fault = ${fault} where ${noteOf(owner, day)} and noted_at = ${noted_at}::timestamptz`);
    return deleteBlocks(
      tx,
      sql`select source, 'epoch'::date + ${day}::int as day from record_block_source
          where organization_id = ${owner.organization_id} and product_id is not distinct from ${owner.product_id}::uuid`,
    );
  });

/**
 * Notes some days that have blocks, and deletes blocks of noted days. After the last ones it deletes the numbers of
 * owners, so that their next blocks note all days again. Returns the number of days that lost their blocks.
 */
export const drainBlocks = (pool: Pool): Promise<number> =>
  transaction(pool, async (tx) => {
    await waitForMaker(tx);
    await noteBlocked(tx, sql`limit ${daysAtOnce}`);
    const days = await deleteBlocks(tx, stale);
    const { rows: left } = await tx.query('select from record_blocked limit 1');
    if (days === 0 && left.length === 0) {
      await tx.query('delete from record_block_source');
      await tx.query('delete from record_block_path');
      await tx.query('delete from record_seen');
    }
    return days;
  });
