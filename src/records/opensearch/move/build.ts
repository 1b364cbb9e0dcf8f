import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { transaction } from '#database/transaction.js';
import { unseen, wholeXid } from '#database/visibility.js';
import { nilId } from '#entities/id.js';
import { keepDeadLetters } from '../journal/dead-letter.js';
import { type IndexableRow, rowColumns } from '../journal/read.js';
import type { ClusterLogOptions } from '../log/options.js';
import {
  type BuildState,
  beginMove,
  dropMove,
  lockMove,
  lookSettled,
  readMove,
  type Settled,
  updateMove,
} from './state.js';

export type BuildOptions = Pick<ClusterLogOptions, 'pool' | 'client' | 'names' | 'writer' | 'maker'>;

/** Number of records of one page. */
const pageSize = 5000;

const rowsWhere = (condition: Sql, end: Sql): Sql => sql`
  select ${rowColumns}
    from public.record r join device d on d.id = r.device_id left join product p on p.id = r.product_id
         cross join (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as top) m
   where ${condition} order by r.id ${end}`;

/** Indexes rows. Documents that exist count as written. */
const indexRows = async ({ pool, maker, writer }: BuildOptions, rows: readonly IndexableRow[]): Promise<void> => {
  const made = await maker.make(rows);
  const { refused } = await writer.write(made.items);
  await keepDeadLetters(pool, [...refused, ...made.refused]);
};

/** Returns the last record that was stored for the cluster, if that was within the last day. */
export const lastOfJournal = async (pool: Queryable): Promise<string | undefined> => {
  const { rows } = await pool.query<{ id: string }>(sql`select id from journal.record order by id desc limit 1`);
  return rows[0]?.id;
};

/** @throws Error if records are in blocks alone, of which a build knows nothing */
const requireRows = async (database: Queryable): Promise<void> => {
  const { rows } = await database.query<{ days: number }>(
    sql`select count(*)::int as days from record_blocked where alone`,
  );
  const { days } = rows[0]!;
  if (days > 0)
    throw new Error(
      `The records of ${days} days are in blocks alone, and only rows can be moved. Set RECORD_BLOCKS=off, or run "ddp blocks drain", and build again.`,
    );
};

/**
 * Prepares a build. If an earlier index of the cluster was moved back, it is deleted.
 * @throws Error if records are stored for the cluster already, or are in blocks alone
 */
export const beginBuild = async ({ pool, client, names }: BuildOptions): Promise<BuildState> => {
  await requireRows(pool);
  const state = await readMove<BuildState>(pool, 'build');
  if (state) return state;
  const drained = (await readMove(pool, 'drain')) !== undefined;
  const from = await lastOfJournal(pool);
  if (!drained && from !== undefined)
    throw new Error(
      'Records are stored for the cluster already: RECORD_INDEX is opensearch, or it was, and "ddp index drain" has not run since.',
    );
  if (drained) {
    const { body } = await client.indices.get({ index: names.all, allow_no_indices: true, ignore_unavailable: true });
    for (const index of Object.keys(body)) await client.indices.delete({ index, ignore_unavailable: true });
    await dropMove(pool, 'drain');
  }
  const begun: BuildState = { phase: 'copy', after: nilId, done: 0, from: from ?? nilId };
  await beginMove(pool, 'build', begun);
  return begun;
};

/**
 * Takes a step of a build, unless another process takes one. It copies a page of PostgreSQL's records in the order of
 * arrival or, once all are copied, what was committed since the last step. Returns the new state, or undefined if there
 * is nothing to do.
 */
export const stepBuild = (options: BuildOptions): Promise<BuildState | undefined> =>
  transaction(options.pool, async (tx) => {
    await tx.query('set transaction isolation level repeatable read');
    if (!(await lockMove(tx, 'build'))) return undefined;
    await requireRows(tx);
    const state = await readMove<BuildState>(tx, 'build');
    if (!state) return undefined;
    const settled = await lookSettled(tx);
    const step = await (state.phase === 'copy'
      ? copy(options, tx, state, settled)
      : follow(options, tx, state, settled));
    const next: BuildState = { ...step, from: state.from };
    await updateMove(tx, 'build', next);
    return next;
  });

type Copying = Extract<BuildState, { phase: 'copy' }>;
type Following = Extract<BuildState, { phase: 'tail' }>;

const copy = async (
  options: BuildOptions,
  tx: PoolClient,
  { after, done }: Copying,
  { seen, below }: Settled,
): Promise<BuildState> => {
  const { rows } = await tx.query<IndexableRow>(
    rowsWhere(sql`r.id > ${after}::uuid and r.id < ${below}::uuid`, sql`limit ${pageSize}`),
  );
  await indexRows(options, rows);
  if (rows.length === pageSize) return { phase: 'copy', after: rows.at(-1)!.id, done: done + rows.length };
  // Few records remain, some of which may not be committed yet. From here on snapshots decide which of them were seen.
  await indexRange(options, tx, sql`r.id >= ${below}::uuid`);
  return { phase: 'tail', seen, low: below };
};

const follow = async (
  options: BuildOptions,
  tx: PoolClient,
  { seen: unseenBy, low }: Following,
  { seen, below }: Settled,
): Promise<BuildState> => {
  await indexRange(options, tx, sql`r.id >= ${low}::uuid and ${unseen(wholeXid(sql`r.xmin`), { unseenBy })}`);
  return { phase: 'tail', seen, low: below };
};

/** Indexes all records in a range, page by page. */
export const indexRange = async (options: BuildOptions, database: Queryable, range: Sql): Promise<void> => {
  for (let after = nilId; ; ) {
    const { rows } = await database.query<IndexableRow>(
      rowsWhere(sql`${range} and r.id > ${after}::uuid`, sql`limit ${pageSize}`),
    );
    await indexRows(options, rows);
    if (rows.length < pageSize) return;
    after = rows.at(-1)!.id;
  }
};

/** Estimates the number of records in PostgreSQL. */
export const estimateRecords = async (pool: Queryable): Promise<number> => {
  const { rows } = await pool.query<{ total: number }>(sql`
    select coalesce(sum(greatest(reltuples, 0)), 0)::float8 as total
      from pg_class join pg_inherits on inhrelid = pg_class.oid where inhparent = 'public.record'::regclass`);
  return rows[0]!.total;
};
