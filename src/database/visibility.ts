import sql, { type Sql } from 'sql-template-tag';

/**
 * The current snapshot as a subquery `m`. `seen` is the snapshot of the statement; `top` is the number that the next
 * transaction will get.
 */
export const currentSnapshot: Sql = sql`(
  select pg_current_snapshot() as seen, pg_snapshot_xmax(pg_current_snapshot())::text::bigint as top) m`;

/**
 * Returns the 64-bit number of a transaction, whose lower 32 bits a row has in `xmin`: the greatest such number that is
 * not in the future. Rows that a feed reads were written in this epoch or the one before.
 */
export const wholeXid = (xmin: Sql): Sql => sql`(m.top - ((m.top - ${xmin}::text::bigint) & 4294967295))::text::xid8`;

/**
 * Condition for sessions of this service that write: those that store records, and those with an open transaction that
 * has written.
 */
const writers = sql`datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
  and (application_name = 'ddp store' or (application_name like 'ddp%' and backend_xid is not null))`;

/**
 * Reads the current snapshot, the database's time, and the start of the oldest transaction of this service that is
 * still writing. Both times are in milliseconds since 1970.
 */
export const lookQuery: Sql = sql`
  select pg_current_snapshot()::text as seen, extract(epoch from clock_timestamp())::float8 * 1000 as now,
         (select extract(epoch from min(xact_start))::float8 * 1000 from pg_stat_activity where ${writers}) as oldest`;

/** Result of {@link lookQuery}. */
export interface Look {
  seen: string;
  now: number;
  oldest: number | null;
}

/**
 * Maximum difference between the clocks of the database and of a process, in milliseconds. Many rows hold a time of the
 * process's clock.
 */
export const clockSkew = 10_000;

/**
 * Condition for rows of new transactions: the first snapshot did not see them, and the second, if there is one, does.
 */
export const unseen = (xid: Sql, { unseenBy, seenBy }: { unseenBy: string; seenBy?: string }): Sql => sql`
  not pg_visible_in_snapshot(${xid}, ${unseenBy}::pg_snapshot)
  and (${seenBy ?? null}::pg_snapshot is null or pg_visible_in_snapshot(${xid}, ${seenBy ?? null}::pg_snapshot))`;
