import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { transaction } from '#database/transaction.js';

/** Number of rows that one transaction adds up. */
const batchSize = 5000;

/**
 * Adds a batch of rows of `usage_delta` to the rows of days. Returns whether more may remain. Only one process does so
 * at a time: two would wait for each other's rows.
 */
export const foldUsage = (pool: Pool): Promise<boolean> =>
  transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ locked: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended('usage', 0)) as locked`,
    );
    if (!rows[0]?.locked) return false;
    // One snapshot sees both the deleted rows and, through the view, their sums.
    const { rows: folded } = await tx.query<{ n: number }>(sql`
      with taken as (
        delete from usage_delta where id = any(array(select id from usage_delta order by id limit ${batchSize})) returning id
      ), added as (
        insert into usage_day as stored
        select p.organization_id, p.day, p.product_id, p.application_id, sum(p.records), sum(p.bytes), sum(p.deliveries), sum(p.calls)
          from usage_pending p join account a on a.id = p.organization_id
         where p.delta_id in (select id from taken)
         group by 1, 2, 3, 4
        on conflict (organization_id, day, product_id, application_id) do update
           set records = stored.records + excluded.records, bytes = stored.bytes + excluded.bytes,
               deliveries = stored.deliveries + excluded.deliveries, calls = stored.calls + excluded.calls
      )
      select count(*)::int as n from taken`);
    return folded[0]?.n === batchSize;
  });
