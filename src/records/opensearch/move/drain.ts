import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import { markDirty } from '#records/postgres/log/dirty.js';
import { Partitions } from '#records/postgres/upkeep/partition.js';
import { loadShape } from '#records/scope/product-shape.js';
import type { IndexableRow } from '../journal/read.js';
import type { ClusterLogOptions } from '../log/options.js';
import { type Content, loadShapeTypes, rowsOf, typedAs } from '../rows.js';
import { readPage, type StoredDocument } from '../stored-document.js';
import { beginMove, type DrainState, dropMove, lockMove, lookSettled, readMove, updateMove } from './state.js';

export type DrainOptions = Pick<ClusterLogOptions, 'pool' | 'client' | 'names'>;

/** Number of documents of one page. */
const pageSize = 2000;

/** Prepares a drain. Records that the journal gets from now on are copied from the journal, after all documents. */
export const beginDrain = async ({ pool }: DrainOptions): Promise<DrainState> => {
  const state = await readMove<DrainState>(pool, 'drain');
  if (state?.phase === 'copy') return state;
  const from = state?.after ?? (await lookSettled(pool)).below;
  const begun: DrainState = { phase: 'copy', from, after: null, done: 0 };
  await beginMove(pool, 'drain', begun);
  await dropMove(pool, 'build');
  return begun;
};

/** Whether records that arrived before a drain began still wait to be indexed. */
export const waitsForIndex = async ({ pool }: DrainOptions, { from }: { from: string }): Promise<boolean> => {
  const { rows } = await pool.query<{ waits: boolean }>(
    sql`select exists (select from record_batch where low < ${from}::uuid) as waits`,
  );
  return rows[0]!.waits;
};

/** Copies a page of documents in the order of storing. It replaces what PostgreSQL has of them. */
export const stepDrain = (options: DrainOptions): Promise<DrainState | undefined> =>
  transaction(options.pool, async (tx) => {
    if (!(await lockMove(tx, 'drain'))) return undefined;
    const state = await readMove<DrainState>(tx, 'drain');
    if (state?.phase !== 'copy') return state;
    const { documents, next } = await readPage(options.client, {
      index: options.names.all,
      query: { match_all: {} },
      sort: ['seq'],
      size: pageSize,
      after: state.after === null ? undefined : [state.after],
    });
    await store(options, tx, await contentsOf(tx, documents));
    const done = state.done + documents.length;
    const after: DrainState = next ? { ...state, after: next[0]!, done } : { phase: 'tail', after: state.from, done };
    await updateMove(tx, 'drain', after);
    return after;
  });

const contentsOf = async (tx: PoolClient, documents: readonly StoredDocument[]): Promise<IndexableRow[]> => {
  const shapes = await loadShapeTypes(tx, documents);
  const contents: Content[] = [];
  const groups = Map.groupBy(documents, ({ organizationId, productId }) => `${organizationId} ${productId}`);
  for (const some of groups.values()) {
    const { productId, organizationId } = some[0]!;
    const shape = productId === null ? undefined : await loadShape(tx, productId, organizationId);
    for (const document of some) {
      const { source, ignored } = document;
      const slots = shape ? typedAs(document, shape.slots, shapes) : [];
      contents.push({ document, metadata: source.metadata, data: source.data, slots, ignored });
    }
  }
  return rowsOf(tx, contents);
};

const store = async ({ pool }: DrainOptions, tx: PoolClient, rows: readonly IndexableRow[]): Promise<void> => {
  if (rows.length === 0) return;
  // Partitions are made in separate transactions, so that concurrent ingestion does not wait.
  await new Partitions().ensure(
    pool,
    rows.map(({ us }) => us / 1e6),
    Date.now() / 1000,
  );
  await tx.query(sql`
    delete from public.record r using unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ us }) => us)}::bigint[]) w (id, us)
     where r.id = w.id and r.ts = 'epoch'::timestamptz + w.us * interval '1 microsecond'`);
  const parts = rows.map(({ metadata, data, frame, given, ...row }) => ({
    ...row,
    metadata: JSON.parse(metadata) as unknown,
    data: JSON.parse(data) as unknown,
    frame: frame === null ? null : (JSON.parse(frame) as unknown),
    given: given === null ? null : (JSON.parse(given) as unknown),
  }));
  await tx.query(sql`
    insert into public.record (id, seq, organization_id, device_id, product_id, ts, metadata, data, frame, given,
                               numbers, texts, many, ignored)
    select id, seq, "organizationId", "deviceId", "productId", 'epoch'::timestamptz + us * interval '1 microsecond',
           metadata, data, nullif(frame, 'null'), nullif(given, 'null'), numbers, texts, nullif(many, 'null'), ignored
      from jsonb_to_recordset(${JSON.stringify(parts)}::jsonb)
        as w (id uuid, seq bigint, "organizationId" uuid, "deviceId" uuid, "productId" uuid, us bigint, metadata jsonb,
              data jsonb, frame jsonb, given jsonb, numbers float8[], texts text[], many jsonb, ignored text[])`);
  await markDirty(
    tx,
    rows.map(({ organizationId, productId, us }) => ({ organizationId, productId, ts: us / 1e6 })),
  );
};

const columns = sql`id, seq, organization_id, device_id, product_id, ts, metadata, data, frame, given, numbers, texts, many, ignored`;

/**
 * Copies the journal's new records, unless another process does. Returns their number, or undefined if no drain has
 * reached this phase.
 */
export const followJournal = async ({ pool }: Pick<DrainOptions, 'pool'>): Promise<number | undefined> => {
  if ((await readMove<DrainState>(pool, 'drain'))?.phase !== 'tail') return undefined;
  return transaction(pool, async (tx) => {
    if (!(await lockMove(tx, 'drain'))) return undefined;
    const state = await readMove<DrainState>(tx, 'drain');
    if (state?.phase !== 'tail') return undefined;
    const { below } = await lookSettled(tx);
    const fresh = sql`from journal.record j where j.id >= ${state.after}::uuid
      and not exists (select from public.record r where r.id = j.id and r.ts = j.ts)`;
    const { rows: days } = await tx.query<{ ts: number }>(
      sql`select distinct extract(epoch from date_trunc('day', j.ts))::float8 as ts ${fresh}`,
    );
    if (days.length > 0)
      await new Partitions().ensure(
        pool,
        days.flatMap(({ ts }) => [ts, ts + 86_399]),
        Date.now() / 1000,
      );
    const { rows } = await tx.query<{ copied: number }>(sql`
      with moved as (
        insert into public.record (${columns}) select ${columns} ${fresh}
        returning organization_id, product_id, ts
      ), noted as (
        insert into record_dirty (organization_id, product_id, hour)
        select distinct organization_id, product_id, date_trunc('hour', ts) from moved
      )
      select count(*)::float8 as copied from moved`);
    if (below > state.after) await updateMove(tx, 'drain', { ...state, after: below });
    return rows[0]!.copied;
  });
};
