import { parquetMetadata } from 'hyparquet';
import { parquetReadColumn } from 'hyparquet/src/read.js';
import { jsonIn, jsonMark, textMark } from './exported-column.js';
import type { FromParquet, ParquetCursor, ParquetTask, ToParquet } from './parquet.js';
import { compressors } from './parquet-codec.js';
import { checkFooter, type Footer } from './parquet-footer.js';
import { pageBudget, parquetLimits, type Taken, valueBudget } from './parquet-limit.js';
import { checkPages } from './parquet-page.js';
import { lineOfRow, Moment } from './parquet-row.js';
import { dottedIn, type RecordColumns, readRecordColumns } from './record-column.js';

/*
 * Reads rows of a Parquet file in a separate process whose memory and time are limited. A few bytes of such a file can
 * claim to be a billion values, and V8 ends a process that asks for too much memory at once.
 */

const tell = (message: FromParquet): Promise<void> =>
  new Promise((resolve) => process.send!(message, undefined, undefined, () => resolve()));

/**
 * Received messages, of which several may arrive in one turn of the event loop, and the resolver of whoever waits for
 * the next one.
 */
const inbox: ToParquet[] = [];
let heard: (() => void) | undefined;
process.on('message', (message: ToParquet) => {
  inbox.push(message);
  heard?.();
});
const hear = async (): Promise<ToParquet> => {
  if (inbox.length === 0) await new Promise<void>((resolve) => (heard = resolve));
  return inbox.shift()!;
};

/** Requests bytes of the file, which arrive in blocks. */
const read = async (start: number, end: number): Promise<ArrayBuffer> => {
  const bytes = new Uint8Array(end - start);
  void tell({ start, end });
  for (let at = 0; ; ) {
    const message = await hear();
    if (!('bytes' in message)) {
      if (at === bytes.length) return bytes.buffer;
      throw new Error('it is incomplete');
    }
    bytes.set(message.bytes, at);
    at += message.bytes.length;
  }
};

/** Keeps a byte order mark at the beginning of a text. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

const parsers = {
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && utf8.decode(bytes),
  timestampFromMilliseconds: (millis: bigint) => new Moment(millis * 1000n),
  timestampFromMicroseconds: (micros: bigint) => new Moment(micros),
  timestampFromNanoseconds: (nanos: bigint) => new Moment(nanos / 1000n),
  dateFromDays: (days: number) => new Moment(BigInt(days) * 86_400_000_000n),
};

type Metadata = ReturnType<typeof parquetMetadata>;

interface File {
  size: number;
  footer: Footer;
  metadata: Metadata;
}

/** Number of bytes at the end of a file: the length of its footer, and a mark. */
const tailLength = 8;

const openFile = async (size: number): Promise<File> => {
  if (size < tailLength + 4) throw new Error('it is too short');
  const length = new DataView(await read(size - tailLength, size)).getUint32(0, true);
  const { footerBytes } = parquetLimits;
  if (length > size - tailLength - 4) throw new Error(`its footer claims ${length} bytes`);
  if (length > footerBytes) throw new Error(`its footer may have at most ${footerBytes / 2 ** 20} MiB`);
  const start = size - tailLength - length;
  const bytes = await read(start, size);
  const footer = checkFooter(new Uint8Array(bytes, 0, length), start);
  return { size, footer, metadata: parquetMetadata(bytes, { parsers, geoparquet: false }) };
};

/** Creates the budget of the file and of the row group. The cursor holds the cost of the row groups before. */
const budget = (size: number, before: ParquetCursor) => {
  const taken: Taken = { bytes: 0, values: 0, pages: 0 };
  const { groupBytes, groupValues, groupPages } = parquetLimits;
  const spend = (more: Taken) => {
    taken.bytes += more.bytes;
    taken.values += more.values;
    taken.pages += more.pages;
    if (taken.bytes > groupBytes || taken.values > groupValues || taken.pages > groupPages)
      throw new Error(
        `a row group may have at most ${groupBytes / 2 ** 20} MiB and ${groupValues} values; write it with smaller ones`,
      );
    if (before.bytes + taken.bytes > pageBudget(size) || before.values + taken.values > valueBudget(size))
      throw new Error('its pages have too many bytes or values for the size of the file; send it as CSV');
  };
  return { taken, spend };
};

/** Checks and decodes a row group. Returns the values of each top-level column. */
const decodeGroup = async ({ size, footer, metadata }: File, cursor: ParquetCursor) => {
  const group = footer.groups[cursor.group]!;
  const bytes = await read(group.start, group.end);
  const { taken, spend } = budget(size, cursor);
  const row_group = metadata.row_groups[cursor.group]!;
  group.chunks.forEach(({ start, end, codec }, index) => {
    const leaf = footer.leaves[index]!;
    const chunk = new Uint8Array(bytes, start - group.start, end - start);
    const checked = checkPages(chunk, { leaf, codec, rows: group.rows, spend });
    // hyparquet then reads no byte that was not checked.
    row_group.columns[index]!.meta_data!.total_compressed_size = BigInt(checked);
  });
  const file = {
    byteLength: size,
    slice(start: number, end = size) {
      if (start < group.start || end > group.end || end < start)
        throw new Error('a column lies outside of its row group');
      return bytes.slice(start - group.start, end - group.start);
    },
  };
  const one = { ...metadata, row_groups: [row_group] };
  const options = { file, metadata: one, compressors, parsers, geoparquet: false, rowStart: 0, rowEnd: group.rows };
  const columns: ArrayLike<unknown>[] = [];
  for (const name of footer.names) columns.push(await parquetReadColumn({ ...options, columns: [name] }));
  return { rows: group.rows, columns, taken };
};

/** Maximum length of a variable's name that matters, in characters. */
const longestName = 200;

/** Approximate number of characters of lines that one message carries. */
const batch = 128 * 1024;

const run = async ({ size, cursor, milliseconds }: ParquetTask): Promise<void> => {
  const until = performance.now() + milliseconds;
  const file = await openFile(size);
  const { names, groups } = file.footer;
  const found = readRecordColumns(names, 1);
  if (Array.isArray(found)) return tell({ faults: found });
  const columns: RecordColumns = {
    ...found,
    // Outer values come first, so that inner ones find room beside them.
    values: found.values.toSorted((one, other) => one.path.length - other.path.length),
    json: markedColumns(jsonMark, file.metadata, names),
    texts: markedColumns(textMark, file.metadata, names),
  };
  let at = cursor;
  while (at.group < groups.length) {
    if (performance.now() >= until && at !== cursor) return tell({ cursor: at });
    const after = { group: at.group + 1, row: 0, bytes: at.bytes, values: at.values };
    if (groups[at.group]!.rows === 0) {
      at = after;
      continue;
    }
    const decoded = await decodeGroup(file, at);
    for (let { row } = at; row < decoded.rows; ) {
      row = await handOver(decoded, row, { names, columns });
      at = { ...at, row };
      if (performance.now() >= until && row < decoded.rows) return tell({ cursor: at });
    }
    at = { ...after, bytes: after.bytes + decoded.taken.bytes, values: after.values + decoded.taken.values };
  }
  return tell({ cursor: null, dotted: dottedIn(columns).filter(({ length }) => length <= longestName) });
};

/** Returns the columns that an export lists under a key of the metadata. */
const markedColumns = (mark: string, { key_value_metadata: marks }: Metadata, names: readonly string[]): number[] => {
  const paths = jsonIn(marks?.find(({ key }) => key === mark)?.value ?? '', JSON.parse);
  return Array.isArray(paths) ? names.flatMap((name, index) => (paths.includes(name) ? index : [])) : [];
};

/** Sends lines from row `from` on. Returns the row after them. */
const handOver = async (
  decoded: { rows: number; columns: readonly ArrayLike<unknown>[] },
  from: number,
  header: { names: readonly string[]; columns: RecordColumns },
): Promise<number> => {
  let [row, text] = [from, ''];
  for (; row < decoded.rows && text.length < batch; row++) {
    const values = Object.fromEntries(header.names.map((name, index) => [name, decoded.columns[index]![row]]));
    text += `${lineOfRow(values, header.names, header.columns)}\n`;
  }
  void tell({ text });
  await hear();
  return row;
};

const begin = async (): Promise<void> => {
  const message = await hear();
  if (!('task' in message)) return;
  await run(message.task).catch((error: unknown) =>
    tell({ failure: error instanceof Error ? error.message : String(error) }),
  );
};

process.on('disconnect', () => process.exit());
void begin().finally(() => process.disconnect());
