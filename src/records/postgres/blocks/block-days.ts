import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { isFinished } from './noted-day.js';

/** Numbers of the days of all owners. */
export interface BlockDays {
  /** Days that have blocks, valid or not. */
  blocked: number;
  /** Days whose records only blocks hold. */
  alone: number;
  /** Finished days whose blocks are to be made. */
  waiting: number;
  /** Time since the longest waiting day became due, in seconds. */
  oldest: number;
  /** Days that cannot be in blocks until their records change. */
  faulty: number;
}

/** Counts the days that have blocks, wait for them, or have a fault. */
export const countBlockDays = async (database: Queryable, now: Date): Promise<BlockDays> => {
  const { rows } = await database.query<BlockDays>(sql`
    select (select count(*) from record_blocked)::int as blocked,
      (select count(*) from record_blocked where alone)::int as alone,
      count(*) filter (where fault is null)::int as waiting, count(fault)::int as faulty,
      greatest(0, coalesce(max(extract(epoch from ${now}::timestamptz - greatest(d.since, d.day + interval '26 hours')))
        filter (where fault is null), 0))::float8 as oldest
    from record_dirty_block d where ${isFinished(now)}`);
  return rows[0]!;
};

/** A day that cannot be in blocks. */
export interface FaultyDay {
  organizationId: string;
  productId: string | null;
  /** ISO 8601. */
  day: string;
  fault: string;
}

/** Lists some days that cannot be in blocks. */
export const listFaultyDays = async (database: Queryable, limit: number): Promise<FaultyDay[]> => {
  const { rows } = await database.query<FaultyDay>(sql`
    select organization_id as "organizationId", product_id as "productId", to_char(day at time zone 'UTC', 'YYYY-MM-DD') as day, fault
    from record_dirty_block d where fault is not null order by d.day desc limit ${limit}`);
  return rows;
};
