import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { hourMs } from '#common/time.js';
import { transaction } from '#database/transaction.js';
import type { PeriodicTask } from '#scheduling/periodic-tasks.js';
import { forgetNoted } from './sparse-events.js';

/** Number of months for which partitions exist in advance. */
const monthsAhead = 2;

/** Creates the task that creates and drops partitions of the audit log. Every process runs it. */
export const auditUpkeep = ({
  pool,
  clock,
  retention,
}: {
  pool: Pool;
  clock: () => number;
  /** Minimum time for which events are kept, in milliseconds. They are kept at most a month longer. */
  retention: number;
}): PeriodicTask => ({
  every: hourMs,
  atStart: true,
  run: async () => {
    const now = new Date(clock());
    await pool.query(sql`
      select audit_partition(${now}::timestamptz + make_interval(months => ahead)) from generate_series(0, ${monthsAhead}::int) ahead`);
    await dropPast(pool, new Date(now.getTime() - retention));
    await pool.query(forgetNoted);
  },
});

/** Drops the partitions of months that ended before a time, and deletes older events from the default partition. */
const dropPast = async (pool: Pool, before: Date): Promise<void> => {
  const { rows } = await pool.query<{ name: string }>(sql`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid,
           regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \\(''(.+)''\\)') bound
     where i.inhparent = 'audit_event'::regclass and bound[1]::uuid <= audit_bound(${before}::timestamptz)
     order by 1`);
  for (const { name } of rows) {
    await transaction(pool, async (tx) => {
      // A short lock timeout, because calls that write events wait behind this statement.
      await tx.query(sql`set local lock_timeout = '1s'`);
      await tx.query(`drop table if exists ${name}`);
    });
  }
  await pool.query(sql`delete from audit_event_default where id < audit_bound(${before}::timestamptz)`);
};
