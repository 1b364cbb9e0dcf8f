import sql from 'sql-template-tag';
import { hourMs } from '#common/time.js';
import { unseen, wholeXid } from '#database/visibility.js';
import { nilId } from '#entities/id.js';
import { type BuildOptions, indexRange, lastOfJournal } from './build.js';
import { type BuildState, readMove } from './state.js';

/** Maximum number of hours that are copied again at once: those of a partition. */
const longestRun = 7 * 24;

/** An hour for which the cluster and PostgreSQL have different numbers of records. */
export interface WrongHour {
  /** ISO 8601. */
  hour: string;
  stored: number;
  indexed: number;
}

/**
 * Copies the records of the hours again for which the cluster has too few. Returns the number that it lacked. Existing
 * documents stay. Only PostgreSQL knows how far a build was, and the cluster may have lost documents since.
 */
export const copyAgain = async (options: BuildOptions, wrong: readonly WrongHour[]): Promise<number> => {
  const lacking = wrong.filter(({ stored, indexed }) => indexed < stored);
  for (const { from, to } of runsOf(lacking.map(({ hour }) => Date.parse(hour))))
    await indexRange(
      options,
      options.pool,
      sql`r.ts >= to_timestamp(${from / 1000}) and r.ts < to_timestamp(${to / 1000})`,
    );
  return lacking.reduce((sum, { stored, indexed }) => sum + stored - indexed, 0);
};

/** Merges consecutive hours into ranges of milliseconds, whose end is excluded. */
const runsOf = (hours: readonly number[]): { from: number; to: number }[] => {
  const runs: { from: number; to: number }[] = [];
  for (const hour of [...hours].sort((one, other) => one - other)) {
    const last = runs.at(-1);
    if (last?.to === hour && hour - last.from < longestRun * hourMs) last.to += hourMs;
    else runs.push({ from: hour, to: hour + hourMs });
  }
  return runs;
};

/**
 * Compares the number of records of each hour in PostgreSQL and in the cluster, over all records that the last step of
 * the build saw. If the service uses the cluster already (`moved`), the cluster may have more.
 */
export const compareHours = async ({
  pool,
  client,
  names,
}: BuildOptions): Promise<{ total: number; wrong: WrongHour[]; moved: boolean }> => {
  const state = await readMove<BuildState>(pool, 'build');
  if (state?.phase !== 'tail') throw new Error('The build is not complete.');
  const { low, seen, from } = state;
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
  // An index holds one month, whose hours fit into one answer.
  for (const index of Object.keys(indices))
    for (const { key, doc_count } of await hoursOf(client, index, last)) indexed.set(key, doc_count);
  const moved = ((await lastOfJournal(pool)) ?? nilId) > (from ?? nilId);
  const wrong: WrongHour[] = [];
  let total = 0;
  for (const { hour, count } of rows) {
    total += count;
    const found = indexed.get(Date.parse(hour)) ?? 0;
    indexed.delete(Date.parse(hour));
    if (found < count || (found > count && !moved)) wrong.push({ hour, stored: count, indexed: found });
  }
  for (const [key, count] of moved ? [] : indexed)
    wrong.push({ hour: new Date(key).toISOString(), stored: 0, indexed: count });
  return { total, wrong, moved };
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
