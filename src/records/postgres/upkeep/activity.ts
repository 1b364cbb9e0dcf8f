import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { transaction } from '#database/transaction.js';

/** Maximum number of rows that one transaction adds up or deletes. */
const batchSize = 5000;
/** Retention of counts by minute, an hour longer than documented. */
const minuteAge = '49 hours';
const hourAge = '400 days';

/**
 * Adds a batch of old counts by minute to those by hour, and deletes a batch of old hours. Returns whether more may
 * remain. Only one process at a time does so.
 */
export const foldActivity = (pool: Pool, now: Date): Promise<boolean> =>
  transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ locked: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended('record activity', 0)) as locked`,
    );
    if (!rows[0]?.locked) return false;
    const { rowCount: folded } = await tx.query(sql`
      with old as (
        delete from record_activity where ctid = any(array(
          select ctid from record_activity
           where not hourly and at < ${now}::timestamptz - ${minuteAge}::interval
           order by at limit ${batchSize}))
        returning *
      ), added as (
        insert into record_activity as stored (organization_id, application_id, at, kind, n, hourly)
        select organization_id, application_id, date_trunc('hour', at, 'UTC'), kind, sum(n), true from old group by 1, 2, 3, 4
        on conflict (organization_id, application_id, at, kind, hourly) do update set n = stored.n + excluded.n
      )
      select from old`);
    const { rowCount: deleted } = await tx.query(sql`
      delete from record_activity where ctid = any(array(
        select ctid from record_activity where at < ${now}::timestamptz - ${hourAge}::interval limit ${batchSize}))`);
    return folded === batchSize || deleted === batchSize;
  });
