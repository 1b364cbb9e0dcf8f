import type { PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type BinaryReader, readCopy } from '#database/binary-reader.js';
import type { Block } from '#records/blocks/block.js';
import type { BlockColumn } from '#records/blocks/block-column.js';
import { readColumn, readHead } from '#records/blocks/read-block.js';
import { type BlockPlace, columnColumns, headColumns, rowsOfBlocks } from '#records/blocks/write-block.js';
import { copyIn } from '../log/copy.js';

/**
 * Reads the rows of a query by binary COPY, in pages. A connection whose rows are not read to the end cannot be used
 * again.
 */
export const copyOut = <Row>(
  client: PoolClient,
  query: string,
  read: (fields: BinaryReader) => Row,
): AsyncGenerator<Row[]> => readCopy(client.query(copyTo(`copy (${query}) to stdout (format binary)`)), read);

/** Writes a block by binary COPY. */
export const writeBlock = async (tx: PoolClient, place: BlockPlace, content: Block): Promise<void> => {
  for (const { target, pieces } of rowsOfBlocks([{ ...place, content }])) await copyIn(tx, target, pieces);
};

/** Reads a block, without its sums. */
export const readBlock = async (client: PoolClient, block: number): Promise<Block> => {
  const heads = copyOut(client, `select ${headColumns} from record_block where block = ${block}`, readHead);
  const [head] = await allOf(heads);
  const columns = new Map<number, BlockColumn>();
  const query = `select ${columnColumns} from record_block_column where block = ${block}`;
  for (const { col, column } of await allOf(copyOut(client, query, readColumn))) columns.set(col, column);
  return { ...head!, columns, sums: [] };
};

/** Collects the rows of all pages. */
export const allOf = async <Row>(pages: AsyncIterable<readonly Row[]>): Promise<Row[]> => {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
};
