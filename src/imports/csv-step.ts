import type { PoolClient } from 'pg';
import type { ImportFault } from '#entities/file-import.js';
import { type BrokenRow, type CsvRow, type RowPosition, readCsv, separatorOf } from './csv.js';
import { readFrom } from './file-store.js';
import type { Tally } from './import-row.js';

/** The header of a CSV file. */
export interface CsvHeader<Columns> {
  /** Separates the cells. With a semicolon, numbers may have a decimal comma. */
  delimiter: string;
  columns: Columns;
  /** Number of cells of the header. */
  width: number;
}

/** Progress of reading a CSV file: its header, and the place of the next row. */
export interface CsvCursor<Columns> extends CsvHeader<Columns>, RowPosition {
  /** Number of rows read so far, and the number of them that are not CSV. */
  rows: number;
  broken: number;
}

/** Limits of a file. */
export interface CsvLimits {
  rows: number;
  /** Maximum number of rows of a step. */
  step: number;
}

/** Maximum number of rows of a file that are not CSV: each may cost as much to read as many others. */
const maxBroken = 100;
/** Maximum number of cells of a header. */
const maxCells = 1000;

/** Result of a step. The last step has no cursor. */
export interface CsvStep<Columns> {
  tally: Tally;
  cursor?: CsvCursor<Columns>;
}

/** Handlers of the rows of a file. */
export interface CsvReader<Columns> {
  limits: CsvLimits;
  readColumns(cells: readonly string[], line: number): Columns | ImportFault[];
  /** @param offset byte offset of the first row */
  take(rows: readonly CsvRow[], header: CsvHeader<Columns>, offset: number): Promise<Tally>;
}

/** Returns a tally of faults that concern the file as a whole and reject no line. */
const only = (...faults: ImportFault[]): Tally => ({
  lines: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  faults,
});

/** Reads the next rows of a stored CSV file and passes them to `take`. */
export async function stepThroughCsv<Columns>(
  tx: PoolClient,
  importId: string,
  before: CsvCursor<Columns> | null,
  { limits, readColumns, take }: CsvReader<Columns>,
): Promise<CsvStep<Columns>> {
  const blocks = (offset: number) => readFrom(tx, importId, 'file', offset);
  const header = before ?? (await readHeader(blocks, readColumns));
  if (Array.isArray(header)) return { tally: only(...header) };
  // An earlier release counted a row beyond the limit if it was no CSV.
  const left = Math.max(0, limits.rows - header.rows);
  // One row more than allowed, so that the fault names the line where the limit ends.
  const limit = Math.min(limits.step, left + 1);
  const page = await readCsv(blocks, header, {
    delimiter: header.delimiter,
    limit,
    maxBroken: maxBroken - header.broken,
  });
  const read = page.rows.length + page.broken.length;
  const beyond = read > left ? Math.max(page.rows.at(-1)?.line ?? 0, page.broken.at(-1)?.line ?? 0) : Infinity;
  const isWithin = ({ line }: { line: number }) => line < beyond;
  const broken = page.broken.filter(isWithin);
  const rows = page.rows.filter((row) => isWithin(row) && hasValue(row));
  const tally = withBroken(await take(rows, header, header.offset), broken);
  const ending = (line: number, message: string) => ({
    tally: { ...tally, faults: [...tally.faults, { line, message }] },
  });
  if (read > left)
    return ending(beyond, `A file has at most ${limits.rows} lines: this one and those after it were not read.`);
  if (page.isLast) return { tally };
  const allBroken = header.broken + broken.length;
  if (allBroken === maxBroken)
    return ending(page.next.line, `${maxBroken} lines are not CSV. The lines from here on were not read.`);
  return { tally, cursor: { ...header, ...page.next, rows: header.rows + read, broken: allBroken } };
}

/** Returns false for a row of separators only, as spreadsheets write below their data. */
const hasValue = ({ cells }: CsvRow): boolean => cells.some((cell) => cell.trim() !== '');

const withBroken = (tally: Tally, broken: readonly BrokenRow[]): Tally => ({
  ...tally,
  lines: tally.lines + broken.length,
  rejected: tally.rejected + broken.length,
  faults: [...tally.faults, ...broken].sort((a, b) => a.line - b.line),
});

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

type Blocks = (offset: number) => AsyncIterable<Buffer>;

/** Reads the first row. Excel writes a line `sep=;` before it. */
const readHeader = async <Columns>(
  blocks: Blocks,
  readColumns: CsvReader<Columns>['readColumns'],
): Promise<CsvCursor<Columns> | ImportFault[]> => {
  let start = '';
  let offset = 0;
  for await (const block of blocks(0)) {
    if (block.subarray(0, 3).equals(byteOrderMark)) offset = 3;
    start = block.toString('utf8', offset);
    break;
  }
  const declared = /^sep=([,;\t])\r?\n/.exec(start);
  const place = { offset: offset + (declared?.[0].length ?? 0), line: declared ? 2 : 1 };
  const delimiter = declared?.[1] ?? separatorOf(start);
  const { rows, broken, next } = await readCsv(blocks, place, { delimiter, limit: 1, maxBroken: 1 });
  if (broken.length > 0) return broken;
  const [row] = rows;
  if (row === undefined) return [{ line: 1, message: 'The file is empty: its first line names the columns.' }];
  if (row.cells.length > maxCells) return [{ line: row.line, message: `A file has at most ${maxCells} columns.` }];
  const columns = readColumns(row.cells, row.line);
  if (Array.isArray(columns)) return columns as ImportFault[];
  return { ...next, delimiter, columns, width: row.cells.length, rows: 0, broken: 0 };
};
