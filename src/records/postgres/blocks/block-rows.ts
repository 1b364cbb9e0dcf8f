import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { PathNumbers } from '#records/blocks/column-number.js';
import { decodeBlock } from '#records/blocks/decode-block.js';
import type { StoredRow } from '#records/blocks/stored-row.js';
import { CopyRows, copyIn } from '../log/copy.js';
import type { Owner } from '../upkeep/rollup-day.js';
import { readBlock } from './block-store.js';

/** A day that has blocks. */
export interface BlockedDay extends Owner {
  readonly source: number;
  /** Days since 1970. */
  readonly day: number;
}

/** Place of a day's blocks. */
type Place = Pick<BlockedDay, 'source' | 'day'>;

/** Loads the numbers of a source's leaves of JSON. */
export const loadPaths = async (database: Queryable, source: number): Promise<PathNumbers> => {
  const { rows } = await database.query<{ col: number; path: string }>(
    sql`select col, path from record_block_path where source = ${source}`,
  );
  return new PathNumbers(rows);
};

/** Lists the blocks of a day in the order of their records, with the number of these. */
export const listBlocks = async (
  database: Queryable,
  { source, day }: Place,
): Promise<{ block: number; n: number }[]> => {
  // Blocks are numbered in the order in which they were written.
  const { rows } = await database.query<{ block: number; n: number }>(
    sql`select block, n from record_block where source = ${source} and day = 'epoch'::date + ${day}::int order by block`,
  );
  return rows;
};

/** A reason why records cannot be in blocks. The message contains no value of theirs. */
export class BlockFault extends Error {}

/**
 * Decodes the records of a day's blocks, one block after the other, in the order of device, time and `seq`.
 * @throws BlockFault if records are missing, which no other place has
 */
export async function* readBlockRows(tx: PoolClient, place: Place, paths: PathNumbers): AsyncGenerator<StoredRow[]> {
  let left = await countOf(tx, place);
  for (const { block } of await listBlocks(tx, place)) {
    const rows = decodeBlock(await readBlock(tx, block), paths);
    left -= rows.length;
    yield rows;
  }
  if (left !== 0) throw new BlockFault('Its blocks have another number of records.');
}

const countOf = async (tx: PoolClient, { source, day }: Place): Promise<number> => {
  const { rows } = await tx.query<{ n: number }>(
    sql`select n from record_blocked where source = ${source} and day = 'epoch'::date + ${day}::int`,
  );
  return rows[0]?.n ?? 0;
};

const columns =
  'id, seq, organization_id, device_id, product_id, ts, metadata, data, frame, given, numbers, texts, many, ignored';

/** Inserts rows of an owner into `record`, or into a temporary table of that name. */
export const insertRows = async (
  tx: PoolClient,
  { organization_id, product_id }: Owner,
  stored: readonly StoredRow[],
): Promise<void> => {
  const ids = await deviceIdsOf(tx, stored);
  const rows = new CopyRows(14);
  for (const row of stored) {
    rows.row().uuid(row.id).integer('int8', row.seq).uuid(organization_id).uuid(ids.get(row.device));
    rows.uuid(product_id ?? undefined);
    writeContent(rows, row);
  }
  await copyIn(tx, `record (${columns})`, rows.finish());
};

/** Writes the fields of a row from `ts` on, in the order of the columns of `record`. */
export const writeContent = (rows: CopyRows, row: StoredRow): void => {
  rows
    .time(row.ts / 1e6)
    .jsonb(row.metadata)
    .jsonb(row.data)
    .jsonb(row.frame ?? undefined)
    .jsonb(row.given ?? undefined)
    .numbers(row.numbers ?? undefined)
    .texts(row.texts ?? undefined)
    .jsonb(row.many ?? undefined)
    .texts(row.ignored ?? undefined);
};

const deviceIdsOf = async (tx: PoolClient, rows: readonly StoredRow[]): Promise<ReadonlyMap<number, string>> => {
  const devices = [...new Set(rows.map(({ device }) => device))];
  const { rows: found } = await tx.query<{ device: number; device_id: string }>(
    sql`select device, device_id from record_block_device where device = any(${devices}::int[])`,
  );
  return new Map(found.map(({ device, device_id }) => [device, device_id]));
};

/**
 * Returns the numbers of deleted devices whose records are still to be deleted. Until its days are noted, a device
 * counts as present: otherwise its blocks would lose records that its rollups keep.
 */
export const deletedDevices = async (database: Queryable): Promise<ReadonlySet<number>> => {
  const { rows } = await database.query<{ device: number }>(
    sql`select device from record_sweep join record_block_device using (device_id) where alone is not null`,
  );
  return new Set(rows.map(({ device }) => device));
};
