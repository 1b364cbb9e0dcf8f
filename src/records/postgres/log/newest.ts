import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { named } from '#database/named.js';
import { clockTolerance } from '#scheduling/clock-tolerance.js';

/**
 * Returns the time of the newest stored record of each device, in Unix seconds. Leaves out these records, and those
 * that lie ahead of `now` (milliseconds since 1970).
 */
export async function newestBefore(
  tx: PoolClient,
  deviceIds: readonly string[],
  without: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const query = sql`
    select w.id, extract(epoch from r.ts)::float8 ts
      from unnest(${deviceIds}::uuid[]) w (id) cross join lateral (
        select ts from record
         where device_id = w.id and ts <= ${new Date(now + clockTolerance)} and not (id = any(${without}::uuid[]))
         order by record.ts desc limit 1) r`;
  const { rows } = await tx.query<{ id: string; ts: number }>(named('newest before', query));
  return new Map(rows.map(({ id, ts }) => [id, ts]));
}
