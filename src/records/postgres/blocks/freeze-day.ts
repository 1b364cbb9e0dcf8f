import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { isConflict, transaction } from '#database/transaction.js';
import { mayDeleteRows } from '../upkeep/alone-day.js';
import { ownedBy } from '../upkeep/rollup-day.js';
import type { BlockedDay } from './block-rows.js';
import { lockMaking, startOf } from './noted-day.js';
import { prepareLong } from './snapshot.js';
import { noteDay } from './verify-days.js';

/** Time for which rows stay beside their blocks, in days: a fault of blocks that is found within it loses nothing. */
export const graceDays = 7;

/**
 * SQL condition: no note says that the records of a day `b` of an owner `s` have changed, none of its devices has been
 * deleted, and no move to or from a cluster reads or replaces rows: the deletion of a device looks only once for days in
 * blocks alone.
 */
const isValid = sql`
  not exists (
    select from record_dirty_block d
    where d.organization_id = s.organization_id and d.product_id is not distinct from s.product_id
      and d.day = b.day::timestamp at time zone 'UTC')
  and not exists (
    select from record_dirty d
    where d.organization_id = s.organization_id and d.product_id is not distinct from s.product_id
      and d.hour >= b.day::timestamp at time zone 'UTC' and d.hour < (b.day + 1)::timestamp at time zone 'UTC')
  and not exists (
    select from record_sweep join record_source o using (device_id)
    where o.organization_id = s.organization_id and o.product_id is not distinct from s.product_id)
  and not exists (select from record_newest_due) and not exists (select from index_move where name = 'build' or state ->> 'phase' = 'copy')`;

/** Number of days that one query finds. */
const daysAtOnce = 100;

/** @param before the blocks were made before it */
const toFreeze = (before: Date): Sql => sql`
  select source, organization_id, product_id, b.day - 'epoch'::date as day
  from record_blocked b join record_block_source s using (source) where not alone and made_at <= ${before} and ${isValid}`;

/** SQL condition: there are days whose rows can be deleted. */
export const isToFreeze = (before: Date): Sql => sql`exists (${toFreeze(before)})`;

/** Finds days whose rows can be deleted, the oldest first. */
export const findDaysToFreeze = async (database: Queryable, before: Date): Promise<BlockedDay[]> =>
  (await database.query<BlockedDay>(sql`${toFreeze(before)} order by b.day limit ${daysAtOnce}`)).rows;

/**
 * Deletes the rows of a day that is in blocks. Returns false if its records have changed, another transaction makes
 * blocks or keeps rows, or its blocks have another number of records: then the day is noted to be made again.
 */
export const freezeDay = async (pool: Pool, day: BlockedDay): Promise<boolean> => {
  const deleted = await deleteRows(pool, day);
  if (deleted === 'different') await noteDay(pool, day);
  return deleted === 'deleted';
};

type Deleted = 'deleted' | 'changed' | 'different';

const deleteRows = async (pool: Pool, { source, day, ...owner }: BlockedDay): Promise<Deleted> => {
  try {
    return await transaction(
      pool,
      async (tx): Promise<Deleted> => {
        await tx.query('set transaction isolation level repeatable read');
        await prepareLong(tx);
        if (!(await lockMaking(tx)) || !(await mayDeleteRows(tx))) return 'changed';
        const { rows } = await tx.query<{ n: number }>(sql`
          update record_blocked b set alone = true from record_block_source s
          where b.source = ${source} and b.day = 'epoch'::date + ${day}::int and not alone and s.source = b.source and ${isValid}
          returning n`);
        const [blocked] = rows;
        if (blocked === undefined) return 'changed';
        const { rowCount } = await tx.query(
          sql`delete from record where ${ownedBy(owner)} and ts >= ${startOf(day)} and ts < ${startOf(day + 1)}`,
        );
        return rowCount === blocked.n ? 'deleted' : 'different';
      },
      (result) => result === 'deleted',
    );
  } catch (error) {
    // Rows that another transaction changed since the snapshot.
    if (isConflict(error)) return 'changed';
    throw error;
  }
};
