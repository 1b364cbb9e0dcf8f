import type { Pool, PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { dayMs, daySeconds } from '#common/time.js';
import type { Queryable } from '#database/queryable.js';
import type { PathNumbers } from '#records/blocks/column-number.js';
import { decodeBlock } from '#records/blocks/decode-block.js';
import type { StoredRow } from '#records/blocks/stored-row.js';
import type { Rows } from '#records/scope/snapshot-reader.js';
import { readNotes } from '../search/stale-notes.js';
import { noteBlocks } from '../upkeep/rollup-day.js';
import { type BlockedDay, listBlocks, loadPaths } from './block-rows.js';
import { readBlock } from './block-store.js';
import { readDay } from './day-rows.js';
import { differenceOf } from './difference.js';
import { startOf } from './noted-day.js';
import { inSnapshot } from './snapshot.js';

/** Lists the days that have blocks, valid or not. */
export const listBlockedDays = async (database: Queryable): Promise<BlockedDay[]> => {
  const { rows } = await database.query<BlockedDay>(sql`
    select source, organization_id, product_id, day - 'epoch'::date as day
    from record_blocked join record_block_source using (source) order by source, day`);
  return rows;
};

/** Result of comparing a day: its number of records, or why its blocks differ. */
export type ComparedDay =
  /** Its blocks restore its records. */
  | { outcome: 'same'; records: number }
  /** Its blocks are not valid, because records have changed since. */
  | { outcome: 'stale' }
  /** The difference, without a value. */
  | { outcome: 'different'; difference: string };

/**
 * Compares the blocks of a day with its rows. It needs two connections, which read the same snapshot: rows and blocks are
 * read side by side. Blocks that alone hold the records are only decoded.
 */
export const compareDay = (pool: Pool, day: BlockedDay): Promise<ComparedDay> =>
  inSnapshot(pool, async (tx) => {
    const valid = await findValid(tx, day);
    if (valid === undefined) return { outcome: 'stale' };
    const { n, alone } = valid;
    const resultOf = (difference: string | undefined): ComparedDay =>
      difference === undefined ? { outcome: 'same', records: n } : { outcome: 'different', difference };
    if (alone) return resultOf(await compare(tx, undefined, day, n));
    const { rows } = await tx.query<{ id: string }>('select pg_export_snapshot() as id');
    return inSnapshot(
      pool,
      async (reader): Promise<ComparedDay> => {
        const records = new RowReader(readDay(reader, day, day.day));
        const difference = await compare(tx, records, day, n);
        // The rest is read, too, so that the connection can be used again.
        while ((await records.take(1000)).length > 0);
        return resultOf(difference);
      },
      rows[0]!.id,
    );
  });

/** Returns a day's number of records and whether blocks alone hold them, if its blocks are valid in the snapshot. */
const findValid = async (
  tx: PoolClient,
  { source, organization_id, product_id, day }: BlockedDay,
): Promise<{ n: number; alone: boolean } | undefined> => {
  const rows: Rows = async <R extends object>(query: Sql) => (await tx.query<R>(query)).rows;
  const start = new Date(day * dayMs).toISOString();
  const { blocks } = await readNotes(rows, { organizationId: organization_id, days: { from: start, to: start } });
  if (blocks.get(product_id)?.includes(day * daySeconds)) return undefined;
  const { rows: found } = await tx.query<{ n: number; alone: boolean }>(
    sql`select n, alone from record_blocked where source = ${source} and day = 'epoch'::date + ${day}::int`,
  );
  return found[0];
};

/** Compares block by block. Undefined if nothing differs. */
const compare = async (
  tx: PoolClient,
  records: RowReader | undefined,
  { source, day }: BlockedDay,
  n: number,
): Promise<string | undefined> => {
  const paths = await loadPaths(tx, source);
  const blocks = await listBlocks(tx, { source, day });
  const sum = blocks.reduce((total, block) => total + block.n, 0);
  if (sum !== n) return `Its blocks have ${sum} records instead of ${n}.`;
  for (const { block, n: count } of blocks) {
    const restored = await restore(tx, block, paths);
    if (records === undefined && restored.length !== count) return `Block ${block} cannot be decoded.`;
    const difference = records && differenceOf(await records.take(count), restored);
    if (difference !== undefined) return `Block ${block} ${difference}.`;
  }
  const left = await records?.take(1);
  return left?.length ? 'Records are missing in its blocks.' : undefined;
};

/** Reads and decodes a block. Returns no records if that fails, which is a difference. */
const restore = async (tx: PoolClient, block: number, paths: PathNumbers): Promise<StoredRow[]> => {
  const content = await readBlock(tx, block);
  try {
    return decodeBlock(content, paths);
  } catch {
    return [];
  }
};

/** Takes rows from pages. */
class RowReader {
  private waiting: StoredRow[] = [];

  constructor(private readonly pages: AsyncGenerator<StoredRow[]>) {}

  /** Returns the next rows: fewer than `count` at the end. */
  async take(count: number): Promise<StoredRow[]> {
    while (this.waiting.length < count) {
      const page = await this.pages.next();
      if (page.done) break;
      this.waiting.push(...page.value);
    }
    return this.waiting.splice(0, count);
  }
}

/** Notes a day whose blocks differ, so that they are made again from its rows, if it has some. */
export const noteDay = async (database: Queryable, { source, day, ...owner }: BlockedDay): Promise<void> => {
  await database.query(
    noteBlocks(sql`
      select ${owner.organization_id}::uuid as organization_id, ${owner.product_id}::uuid as product_id, ${startOf(day)} as hour
      from record_blocked where source = ${source} and day = 'epoch'::date + ${day}::int and not alone`),
  );
};
