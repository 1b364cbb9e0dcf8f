import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { type ImportFault } from '../entities/file-import.js';
import { ApiError } from '../errors.js';
import { type PartWriter, partSize, readFrom, writeParts } from './file-store.js';
import { readRowGroup } from './parquet.js';

/** Where the unpacking of a Parquet file stands: the next row group. */
export interface ParquetCursor {
  group: number;
}

/** Bytes of rows at most: of a Parquet file a few bytes may be many rows. */
const maxRowBytes = 1024 * 2 ** 20;

/** Writes a row group of a stored Parquet file down as NDJSON. Gives faults of the header, or whether it was the last one. */
export async function unpackRowGroup(
  tx: PoolClient,
  importId: string,
  { group }: ParquetCursor,
): Promise<{ faults: ImportFault[] } | { isLast: boolean }> {
  if (group === 0) await tx.query(sql`delete from file_import_part where import_id = ${importId} and content = 'rows'`);
  const { rows } = await tx.query<{ size: number }>(sql`
    select bytes::float8 as size from file_import where id = ${importId}`);
  const { writer, size } = await continueParts(tx, importId);
  const read = (start: number, end: number) => readRange(tx, importId, start, end);
  const result = await readRowGroup({ size: rows[0]!.size, group }, read, async (text) => {
    if (size + writer.size > maxRowBytes)
      throw new ApiError(
        'TOO_LARGE',
        `The rows of the file have more than ${maxRowBytes / 2 ** 20} MiB; send it in parts.`,
      );
    await writer.add(Buffer.from(text));
  });
  await writer.end();
  return result;
}

/** Goes on after the parts that there are; the last one may not be full. */
const continueParts = async (tx: PoolClient, importId: string): Promise<{ writer: PartWriter; size: number }> => {
  const last = await tx.query<{ number: number; bytes: Buffer }>(sql`
    select number, bytes from file_import_part where import_id = ${importId} and content = 'rows' order by number desc limit 1`);
  const [part] = last.rows;
  if (part === undefined) return { writer: writeParts(tx, importId, 'rows'), size: 0 };
  if (part.bytes.length === partSize)
    return { writer: writeParts(tx, importId, 'rows', part.number + 1), size: (part.number + 1) * partSize };
  await tx.query(sql`
    delete from file_import_part where import_id = ${importId} and content = 'rows' and number = ${part.number}`);
  const writer = writeParts(tx, importId, 'rows', part.number);
  await writer.add(part.bytes);
  return { writer, size: part.number * partSize };
};

const readRange = async (tx: PoolClient, importId: string, start: number, end: number): Promise<Buffer> => {
  const blocks: Buffer[] = [];
  let left = end - start;
  for await (const block of readFrom(tx, importId, 'file', start)) {
    blocks.push(block.subarray(0, left));
    left -= block.length;
    if (left <= 0) break;
  }
  return Buffer.concat(blocks);
};
