import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { named } from '#database/named.js';
import { clockTolerance } from '#scheduling/clock-tolerance.js';
import { newestAt } from '../newest-field.js';

/**
 * Returns the order time of the newest stored record of each device, in Unix seconds (see `orderTime`). Leaves out these
 * records, and those that lie ahead of `now` (milliseconds since 1970).
 */
export async function newestBefore(
  tx: PoolClient,
  deviceIds: readonly string[],
  without: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const others = sql` and ts <= ${new Date(now + clockTolerance)} and not (id = any(${without}::uuid[]))`;
  const query = sql`
    select w.id, extract(epoch from r.at)::float8 ts
      from unnest(${deviceIds}::uuid[]) w (id) cross join lateral (${newestAt(sql`w.id`, others)}) r`;
  const { rows } = await tx.query<{ id: string; ts: number }>(named('newest before', query));
  return new Map(rows.map(({ id, ts }) => [id, ts]));
}
