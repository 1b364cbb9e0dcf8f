import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type BinaryReader, readCopy } from '#database/binary-reader.js';
import type { Block } from '#records/blocks/block.js';
import type { BlockColumn } from '#records/blocks/block-column.js';
import { readColumn, readHead } from '#records/blocks/read-block.js';
import type { StoredRow } from '#records/blocks/stored-row.js';
import { type BlockPlace, columnColumns, headColumns, rowsOfBlocks } from '#records/blocks/write-block.js';
import { CopyRows, copyIn } from '#records/postgres/log/copy.js';

/** Reads the rows of a query by binary COPY. */
export const copyOut = <Row>(
  client: pg.PoolClient,
  query: string,
  read: (fields: BinaryReader) => Row,
): AsyncGenerator<Row[]> => readCopy(client.query(copyTo(`copy (${query}) to stdout (format binary)`)), read);

/** Writes blocks by binary COPY. */
export const writeBlocks = async (
  client: pg.PoolClient,
  blocks: readonly (BlockPlace & { content: Block })[],
): Promise<void> => {
  for (const { target, pieces } of rowsOfBlocks(blocks)) await copyIn(client, target, pieces);
};

/** Reads a block as a reader of records does: without sums. */
export const readBlock = async (client: pg.PoolClient, block: number): Promise<Block> => {
  const [head] = await all(copyOut(client, `select ${headColumns} from record_block where block = ${block}`, readHead));
  const columns = new Map<number, BlockColumn>();
  const query = `select ${columnColumns} from record_block_column where block = ${block}`;
  for (const { col, column } of await all(copyOut(client, query, readColumn))) columns.set(col, column);
  return { ...head!, columns, sums: [] };
};

/** Stores rows in the table `stored`, which has the columns of `record` and `device`. */
export const storeRows = async (client: pg.PoolClient, stored: readonly StoredRow[]): Promise<void> => {
  const rows = new CopyRows(12);
  for (const row of stored)
    rows
      .row()
      .uuid(row.id)
      .integer('int8', row.seq)
      .integer('int4', row.device)
      .time(row.ts / 1e6)
      .jsonb(row.metadata)
      .jsonb(row.data)
      .jsonb(row.frame ?? undefined)
      .jsonb(row.given ?? undefined)
      .numbers(row.numbers ?? undefined)
      .texts(row.texts ?? undefined)
      .jsonb(row.many ?? undefined)
      .texts(row.ignored ?? undefined);
  const target = 'stored (id, seq, device, ts, metadata, data, frame, given, numbers, texts, many, ignored)';
  await copyIn(client, target, rows.finish());
};

/** Collects the rows of all pages. */
export const all = async <Row>(pages: AsyncIterable<readonly Row[]>): Promise<Row[]> => {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
};
