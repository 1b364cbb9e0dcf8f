import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { copyRows } from '#database/copy-out.js';
import type { BlockColumn } from '#records/blocks/block-column.js';
import { PathNumbers } from '#records/blocks/column-number.js';
import { decodeBlock } from '#records/blocks/decode-block.js';
import { readColumn, readHead } from '#records/blocks/read-block.js';
import type { StoredRow } from '#records/blocks/stored-row.js';
import { columnColumns, headColumns } from '#records/blocks/write-block.js';
import type { Copy, Rows } from '#records/scope/snapshot-reader.js';

/** A record of a block, with identifiers instead of numbers. */
export interface BlockRecord extends Omit<StoredRow, 'device'> {
  /** A UUID with hyphens, like the other identifiers. */
  readonly id: string;
  readonly deviceId: string;
  readonly productId: string | null;
}

/** The records of a block, in its order: device, time, `seq`. */
export interface BlockRecords {
  readonly block: number;
  /** All of them, or those at the wanted places. */
  readonly records: readonly BlockRecord[];
}

/** Reads of one snapshot. */
export interface BlockReader {
  readonly rows: Rows;
  readonly copy: Copy;
  /** Waits between two blocks if the event loop has other work: decoding a block takes up to 40 ms. */
  readonly pace?: { begin(): Promise<void> };
}

/** Number of records up to which the columns of several blocks are read by one statement. */
const recordsAtOnce = 4000;

/**
 * Reads and decodes blocks in a snapshot, in the order of their numbers. Only a few blocks are in memory at a time.
 * Numbers without a block are skipped.
 * @param places indexes of the only records to return, by the number of the block
 */
export async function* readBlocks(
  reader: BlockReader,
  numbers: readonly number[],
  places?: ReadonlyMap<number, ReadonlySet<number>>,
): AsyncGenerator<BlockRecords> {
  if (numbers.length === 0) return;
  const { rows, copy, pace } = reader;
  const listed = `where block in (${numbers.map(Number).join()})`;
  const heads = await copy(`select ${headColumns} from record_block ${listed} order by block`, readHead);
  const [sources, devices] = [await readSources(rows, numbers), await readDevices(rows, numbers)];
  for (const group of groupsOf(heads)) {
    const columns = await readColumns(copy, group);
    for (const head of group) {
      await pace?.begin();
      const { productId, paths } = sources.get(head.block)!;
      const stored = decodeBlock(
        { ...head, columns: columns.get(head.block)!, sums: [] },
        paths,
        places?.get(head.block),
      );
      const records = stored.map(({ device, ...row }) => ({
        ...row,
        id: uuidOf(row.id),
        deviceId: devices.get(device)!,
        productId,
      }));
      yield { block: head.block, records };
    }
  }
}

/** Returns the reads of {@link readBlocks} over a connection, which the caller holds in a snapshot. */
export const blockReaderOf = (tx: PoolClient): BlockReader => ({
  rows: async <Row extends object>(query: Sql) => (await tx.query<Row>(query)).rows,
  copy: (query, read) => copyRows(tx, query, read),
});

const readColumns = async (
  copy: Copy,
  heads: readonly { block: number }[],
): Promise<ReadonlyMap<number, ReadonlyMap<number, BlockColumn>>> => {
  const query = `select ${columnColumns} from record_block_column where block in (${heads.map(({ block }) => block).join()})`;
  const columns = new Map(heads.map(({ block }) => [block, new Map<number, BlockColumn>()]));
  for (const { block, col, column } of await copy(query, readColumn)) columns.get(block)!.set(col, column);
  return columns;
};

/** Splits blocks into groups whose columns are read at once. */
const groupsOf = <Head extends { n: number }>(heads: readonly Head[]): Head[][] => {
  const groups: Head[][] = [];
  let size = recordsAtOnce;
  for (const head of heads) {
    size += head.n;
    if (size > recordsAtOnce) {
      groups.push([]);
      size = head.n;
    }
    groups.at(-1)!.push(head);
  }
  return groups;
};

/** Product of a block, and the numbers of the leaves of its JSON. */
interface Source {
  readonly productId: string | null;
  readonly paths: PathNumbers;
}

/** Reads the product and the leaves of each block. */
const readSources = async (rows: Rows, numbers: readonly number[]): Promise<ReadonlyMap<number, Source>> => {
  const found = await rows<{ blocks: number[]; productId: string | null; cols: number[]; paths: string[] }>(
    sql`
      select b.blocks, s.product_id as "productId", p.cols, p.paths
      from (select source, array_agg(block) as blocks from record_block where block = any(${numbers}::int[]) group by source) b
      join record_block_source s using (source)
      cross join lateral (
        select coalesce(array_agg(col), '{}') as cols, coalesce(array_agg(path), '{}') as paths
        from record_block_path where source = b.source) p`,
    'block leaves',
  );
  return new Map(
    found.flatMap(({ blocks, productId, cols, paths }) => {
      const numbered = new PathNumbers(cols.map((col, index) => ({ col, path: paths[index]! })));
      return blocks.map((block): [number, Source] => [block, { productId, paths: numbered }]);
    }),
  );
};

/** Reads the identifiers of the devices of blocks, by their numbers. */
const readDevices = async (rows: Rows, numbers: readonly number[]): Promise<ReadonlyMap<number, string>> => {
  const found = await rows<{ device: number; deviceId: string }>(
    sql`
      select device, device_id as "deviceId" from record_block_device
      where device in (select unnest(devices) from record_block where block = any(${numbers}::int[]))`,
    'block devices',
  );
  return new Map(found.map(({ device, deviceId }) => [device, deviceId]));
};

/** Returns a UUID with hyphens. */
const uuidOf = (digits: string): string =>
  `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
