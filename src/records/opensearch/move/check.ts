import sql from 'sql-template-tag';
import { unseen, wholeXid } from '../../../visibility.js';
import type { BuildOptions } from './build.js';
import { type BuildState, readMove } from './state.js';

/** An hour of which the cluster has another number of records than PostgreSQL. */
export interface WrongHour {
  /** ISO 8601. */
  hour: string;
  stored: number;
  indexed: number;
}

/** Compares how many records of each hour PostgreSQL and the cluster have, of all that the last step of the build saw. */
export const compareHours = async ({
  pool,
  client,
  names,
}: BuildOptions): Promise<{ total: number; wrong: WrongHour[] }> => {
  const state = await readMove<BuildState>(pool, 'build');
  if (state?.phase !== 'tail') throw new Error('The build is not at its end.');
  const { low, seen } = state;
  const { rows } = await pool.query<{ hour: string; count: number; last: number }>(sql`
    select date_trunc('hour', r.ts) as hour, count(*)::float8 as count, max(r.seq)::float8 as last
      from public.record r join device d on d.id = r.device_id
           cross join (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as top) m
     where r.id < ${low}::uuid or not (${unseen(wholeXid(sql`r.xmin`), { unseenBy: seen })}) group by 1`);
  const last = rows.reduce((most, row) => Math.max(most, row.last), 0);
  await client.indices.refresh({ index: names.all, ignore_unavailable: true, allow_no_indices: true });
  const indexed = new Map<number, number>();
  const { body: indices } = await client.indices.get({
    index: names.all,
    allow_no_indices: true,
    ignore_unavailable: true,
  });
  // An index has a month, whose hours are few enough for one answer.
  for (const index of Object.keys(indices))
    for (const { key, doc_count } of await hoursOf(client, index, last)) indexed.set(key, doc_count);
  const wrong: WrongHour[] = [];
  let total = 0;
  for (const { hour, count } of rows) {
    total += count;
    const found = indexed.get(Date.parse(hour)) ?? 0;
    indexed.delete(Date.parse(hour));
    if (found !== count) wrong.push({ hour, stored: count, indexed: found });
  }
  for (const [key, count] of indexed) wrong.push({ hour: new Date(key).toISOString(), stored: 0, indexed: count });
  return { total, wrong };
};

interface Hour {
  key: number;
  doc_count: number;
}

const hoursOf = async (client: BuildOptions['client'], index: string, last: number): Promise<readonly Hour[]> => {
  const { body } = await client.search({
    index,
    body: {
      size: 0,
      query: { range: { seq: { lte: last } } },
      aggs: { hours: { date_histogram: { field: 'ts', fixed_interval: '1h', min_doc_count: 1 } } },
    },
  } as never);
  return (body.aggregations as unknown as { hours: { buckets: Hour[] } }).hours.buckets;
};
