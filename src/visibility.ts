import sql, { type Sql } from 'sql-template-tag';

/**
 * The present as a statement sees it, as `m`: `seen` is its snapshot, `top` the number that the next transaction will
 * get.
 */
export const currentSnapshot: Sql = sql`(
  select pg_current_snapshot() as seen, pg_snapshot_xmax(pg_current_snapshot())::text::bigint as top) m`;

/**
 * The 64-bit number of a transaction, of which a row carries the lower 32 bits in `xmin`: the greatest such number that is
 * not in the future. The rows that a feed reads were written in this epoch or the one before.
 */
export const wholeXid = (xmin: Sql): Sql => sql`(m.top - ((m.top - ${xmin}::text::bigint) & 4294967295))::text::xid8`;

/** Sessions of this service that write: those that store records, and those with an open transaction that has written. */
const writers = sql`datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
  and (application_name = 'ddp store' or (application_name like 'ddp%' and backend_xid is not null))`;

/**
 * A look at the present: its snapshot, the database's time, and when the oldest transaction of ours began that is still
 * writing, both in milliseconds since 1970.
 */
export const lookQuery: Sql = sql`
  select pg_current_snapshot()::text as seen, extract(epoch from clock_timestamp())::float8 * 1000 as now,
         (select extract(epoch from min(xact_start))::float8 * 1000 from pg_stat_activity where ${writers}) as oldest`;

/** What {@link lookQuery} answers. */
export interface Look {
  seen: string;
  now: number;
  oldest: number | null;
}

/** Most by which the clock of a process, which many rows carry, may differ from the database's. Milliseconds. */
export const clockSkew = 10_000;

/** Whether a transaction's rows are new: the one snapshot did not see them, and the other, where there is one, did. */
export const unseen = (xid: Sql, { unseenBy, seenBy }: { unseenBy: string; seenBy?: string }): Sql => sql`
  not pg_visible_in_snapshot(${xid}, ${unseenBy}::pg_snapshot)
  and (${seenBy ?? null}::pg_snapshot is null or pg_visible_in_snapshot(${xid}, ${seenBy ?? null}::pg_snapshot))`;
