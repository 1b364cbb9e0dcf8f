import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { dayMs, minuteMs } from '#common/time.js';
import type { BlockMode } from '#config/config.js';
import type { Queryable } from '#database/queryable.js';
import { transaction } from '#database/transaction.js';
import { isToShrink, shrinkPartitions } from '../upkeep/partition.js';
import { findStaleAloneDays, rollUpAloneDay, staleAloneDays } from './alone-rollup.js';
import { attemptAll } from './attempt.js';
import type { BlockedDay } from './block-rows.js';
import { findDaysToFreeze, freezeDay, graceDays, isToFreeze } from './freeze-day.js';
import { thawDay } from './thaw-day.js';

/** Number of late rows with which a day gets all its rows again: the maker keeps late rows in memory. */
const mostLate = 50_000;

/**
 * SQL: days in blocks alone that get their rows again: retention deletes a part of them, many late records have arrived,
 * their blocks cannot be made again, or no blocks are wanted.
 */
const toThaw = (now: Date, mode: BlockMode): Sql => {
  const ofOwner = (more: Sql) => sql`
    select source, s.organization_id, s.product_id, b.day - 'epoch'::date as day
    from record_block_source s join record_blocked b using (source) ${more}`;
  if (mode === 'off') return ofOwner(sql`where alone`);
  return sql`
    ${ofOwner(sql`
      cross join lateral (
        select ${now}::timestamptz - keep as limit from record_retention r
        where r.organization_id = s.organization_id and (r.product_id = s.product_id or r.product_id is null)
        order by r.product_id nulls last limit 1) r
      where alone and b.day = (r.limit at time zone 'UTC')::date`)}
    union
    ${ofOwner(sql`
      join record_dirty_block d on d.organization_id = s.organization_id and d.product_id is not distinct from s.product_id
        and d.day = b.day::timestamp at time zone 'UTC'
      where alone and (d.fault is not null or ${mostLate} < (
        select count(*) from (
          select from record r
          where r.organization_id = s.organization_id and (r.product_id = s.product_id or s.product_id is null and r.product_id is null)
            and r.ts >= b.day::timestamp at time zone 'UTC' and r.ts < (b.day + 1)::timestamp at time zone 'UTC'
          limit ${mostLate + 1}) late))`)}`;
};

/** Whether days are to lose their rows, or to get them again, or rollups of days in blocks alone are to be made. */
export const isAloneWorkWanted = async (database: Queryable, now: Date, mode: BlockMode): Promise<boolean> => {
  const freezes = mode === 'alone' ? sql`${isToFreeze(madeBefore(now))} or ${isToShrink}` : sql`false`;
  const { rows } = await database.query<{ wanted: boolean }>(sql`
    select ${freezes} or exists (${toThaw(now, mode)}) or exists (${staleAloneDays(now)}) as wanted`);
  return rows[0]!.wanted;
};

const madeBefore = (now: Date): Date => new Date(now.getTime() - graceDays * dayMs);

/** Restores rows of days in blocks alone, as far as they are due, each day in its own transaction. */
export const thawDueDays = async (pool: Pool, now: Date, mode: BlockMode): Promise<void> => {
  const { rows: days } = await pool.query<BlockedDay>(sql`select * from (${toThaw(now, mode)}) d order by day`);
  await attemptAll(days.map((day) => () => transaction(pool, (tx) => thawDay(tx, day))));
};

/** Makes the rollups of some days in blocks alone that are due. */
export const rollUpAloneDays = async (pool: Pool, now: Date): Promise<void> => {
  const days = await findStaleAloneDays(pool, now);
  await attemptAll(days.map((day) => () => rollUpAloneDay(pool, day)));
};

/** Maximum time for which rows are deleted before other work gets its turn, in milliseconds. */
const longest = 5 * minuteMs;

/** Deletes the rows of days that have been in blocks for long enough, and frees their space. */
export const freezeDueDays = async (pool: Pool, now: Date): Promise<void> => {
  for (const end = performance.now() + longest; performance.now() < end; ) {
    const days = await findDaysToFreeze(pool, madeBefore(now));
    let frozen = 0;
    for (const day of days) if (await freezeDay(pool, day)) frozen++;
    if (frozen === 0) break;
  }
  await shrinkPartitions(pool);
};
