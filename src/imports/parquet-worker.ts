import { parentPort, workerData } from 'node:worker_threads';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type Compressors, parquetMetadataAsync, parquetReadObjects, snappyUncompress } from 'hyparquet';
import type { FromParquet, ParquetTask, ToParquet } from './parquet.js';
import { Moment, recordOfRow } from './parquet-row.js';
import { readRecordColumns } from './record-column.js';

/*
 * Reads one row group of a Parquet file in a thread of its own, which may hold only so much memory: a few bytes of such a file can
 * claim to be a billion values.
 */

const { size, group, maxRows, maxBytes } = workerData as ParquetTask;
const port = parentPort!;
const tell = (message: FromParquet, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

const waiting: ((bytes: ArrayBuffer) => void)[] = [];
let goOn: (() => void) | undefined;
port.on('message', (message: ToParquet) => {
  if ('bytes' in message) waiting.shift()!(message.bytes);
  else goOn?.();
});

const file = {
  byteLength: size,
  slice: (start: number, end = size) =>
    new Promise<ArrayBuffer>((resolve) => {
      waiting.push(resolve);
      tell({ start: start < 0 ? size + start : start, end });
    }),
};

const limited =
  (decompress: (input: Uint8Array, length: number) => Uint8Array) => (input: Uint8Array, length: number) => {
    if (length > maxBytes) throw new Error(`a page has ${length} bytes; it may have ${maxBytes}`);
    return decompress(input, length);
  };

const compressors: Compressors = {
  SNAPPY: limited((input, length) => {
    const output = new Uint8Array(length);
    snappyUncompress(input, output);
    return output;
  }),
  GZIP: limited((input, maxOutputLength) => gunzipSync(input, { maxOutputLength })),
  BROTLI: limited((input, maxOutputLength) => brotliDecompressSync(input, { maxOutputLength })),
  ZSTD: limited((input, maxOutputLength) => zstdDecompressSync(input, { maxOutputLength })),
};

const parsers = {
  timestampFromMilliseconds: (millis: bigint) => new Moment(millis * 1000n),
  timestampFromMicroseconds: (micros: bigint) => new Moment(micros),
  timestampFromNanoseconds: (nanos: bigint) => new Moment(nanos / 1000n),
  dateFromDays: (days: number) => new Moment(BigInt(days) * 86_400_000_000n),
};

/** Rows that are handed over at once. */
const batch = 500;

const run = async (): Promise<void> => {
  const metadata = await parquetMetadataAsync(file, { parsers, geoparquet: false });
  const groups = metadata.row_groups;
  const rowsOf = (index: number) => Number(groups[index]!.num_rows);
  if (group >= groups.length) return tell({ done: true, isLast: true });
  const rowStart = groups.slice(0, group).reduce((sum, { num_rows }) => sum + Number(num_rows), 0);
  if (rowsOf(group) > maxRows || Number(groups[group]!.total_byte_size) > maxBytes)
    throw new Error(
      `a row group may have ${maxRows} rows and ${maxBytes / 2 ** 20} MiB; write the file with smaller ones`,
    );
  const names = topColumns(metadata.schema);
  const columns = readRecordColumns(names, 1);
  if (Array.isArray(columns)) return tell({ faults: columns });
  const options = { file, metadata, compressors, parsers, geoparquet: false };
  const rows = await parquetReadObjects({ ...options, rowStart, rowEnd: rowStart + rowsOf(group) });
  for (let from = 0; from < rows.length; from += batch) {
    const lines = rows.slice(from, from + batch).map((row) => JSON.stringify(recordOfRow(row, names, columns)));
    const taken = new Promise<void>((resolve) => (goOn = resolve));
    tell({ text: `${lines.join('\n')}\n` });
    await taken;
  }
  tell({ done: true, isLast: group === groups.length - 1 });
};

/** The names of the columns, those with others inside of them too. */
const topColumns = (schema: readonly { name: string; num_children?: number }[]): string[] => {
  const names: string[] = [];
  const skip = (index: number): number => {
    let next = index + 1;
    for (let child = 0; child < (schema[index]?.num_children ?? 0); child++) next = skip(next);
    return next;
  };
  for (let index = 1; index < schema.length; index = skip(index)) names.push(schema[index]!.name);
  return names;
};

run()
  .catch((error: unknown) => tell({ failure: error instanceof Error ? error.message : String(error) }))
  .finally(() => port.close());
