import sql from 'sql-template-tag';
import { withDatabase } from '../../support/tenant.js';

/** Returns the deliveries in PostgreSQL and the states of their hooks, to explain why some have not been sent. */
export const deliveryReport = (databaseUrl: string): Promise<object> =>
  withDatabase({ url: '', databaseUrl }, async (db) => {
    const read = async (query: ReturnType<typeof sql>) => (await db.query<object>(query)).rows;
    return {
      hooks: await read(sql`
        select h.disabled, h.disabled_reason, h.filter_disabled_at, h.filter_disabled_reason, h.concurrency, s.filter_timeouts,
               s.failures_in_row, s.circuit_until, s.circuit_openings
          from hook h join hook_state s on s.hook_id = h.id`),
      deliveries: await read(sql`
        select state, done, next_attempt_at <= now() as due, count(*)::int, min(created_at) as oldest, max(created_at) as newest,
               max(attempts_made) as attempts
          from delivery group by 1, 2, 3`),
      leases: await read(sql`
        select count(*)::int, count(*) filter (where locked_until < now())::int as over from delivery_lease`),
      records: await read(sql`select count(distinct record_id)::int from delivery`),
    };
  });
