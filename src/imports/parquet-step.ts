import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { tooLarge } from '#common/errors.js';
import type { ImportFault } from '#entities/file-import.js';
import type { PlainJson } from '#json/json.js';
import { countParts } from './file-budget.js';
import { type PartWriter, partSize, readFrom, writeParts } from './file-store.js';
import type { OpenImport } from './import-row.js';
import { type ParquetCursor, unpackParquet } from './parquet.js';
import { rowBudget } from './parquet-limit.js';

/** Progress of unpacking a stored file: the position in the file, and in the rows written. */
interface UnpackCursor extends ParquetCursor {
  /** Number of bytes of rows written. */
  written: number;
}

/**
 * Result of a step. A null cursor means that all rows are written; then `dotted` has the names of values whose dots made
 * objects.
 */
export type UnpackStep =
  | { faults: ImportFault[] }
  | { cursor: UnpackCursor }
  | { cursor: null; dotted: readonly string[] };

const beginning: UnpackCursor = { group: 0, row: 0, bytes: 0, values: 0, written: 0 };

/** Time after which a step stops decoding, in milliseconds. The rows decoded by then are written. */
const stepTime = 2000;

/**
 * Unpacks some rows of a stored Parquet file to NDJSON, outside a transaction: a repeated step writes the same bytes to
 * the same parts.
 */
export async function unpackStep(
  pool: Pool,
  open: OpenImport,
  before: PlainJson,
  { clock, signal }: { clock: () => number; signal: AbortSignal },
): Promise<UnpackStep> {
  const { written, ...cursor } = isUnpackCursor(before) ? before : beginning;
  const writer = await continueParts(pool, open, written, clock);
  const limit = rowBudget(open.bytes);
  const result = await unpackParquet(
    { size: open.bytes, cursor, milliseconds: stepTime },
    {
      read: (start, end) => readRange(pool, open.id, start, end),
      async take(text) {
        if (written + writer.size > limit)
          throw tooLarge(
            `The rows of the file have more than ${Math.floor(limit / 2 ** 20)} MiB, which is as much as a file of its size may have; send it in parts, or as CSV.`,
          );
        await writer.add(Buffer.from(text));
      },
      signal,
    },
  );
  if ('faults' in result) return result;
  await writer.end();
  const all = written + writer.size;
  if (result.cursor !== null) return { cursor: { ...result.cursor, written: all } };
  // An earlier run may have come further.
  await pool.query(sql`
    delete from file_import_part where import_id = ${open.id} and content = 'rows' and number >= ${Math.ceil(all / partSize)}`);
  return result;
}

const isUnpackCursor = (cursor: PlainJson): cursor is UnpackCursor & Record<string, number> =>
  typeof cursor === 'object' && cursor !== null && 'written' in cursor;

/**
 * Creates a writer that continues after the written bytes. If they end inside a part, it rewrites that part from its
 * beginning.
 */
const continueParts = async (
  pool: Pool,
  { id, organizationId }: OpenImport,
  written: number,
  clock: () => number,
): Promise<PartWriter> => {
  const number = Math.floor(written / partSize);
  const rest = written % partSize;
  const head: Buffer[] = [];
  if (rest > 0) {
    for await (const block of readFrom(pool, id, 'rows', number * partSize)) {
      head.push(block.subarray(0, rest));
      break;
    }
  }
  const writer = writeParts(pool, id, 'rows', { first: number, head });
  return countParts(writer, {
    database: pool,
    stored: { id, organizationId },
    of: 'unpacked',
    before: written,
    clock,
  });
};

async function* readRange(pool: Pool, importId: string, start: number, end: number): AsyncGenerator<Buffer, void> {
  let left = end - start;
  if (left <= 0) return;
  for await (const block of readFrom(pool, importId, 'file', start)) {
    yield block.subarray(0, left);
    left -= block.length;
    if (left <= 0) return;
  }
}
