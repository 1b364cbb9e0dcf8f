import { csvOf } from '../csv.js';
import { ExportFormat } from '../entities/export.js';
import { timeSlices } from '../time-slice.js';
import { ParquetFile, typedValue } from './parquet.js';
import { cellOf, shownValue } from './row-text.js';
import { type Column, type Row, type Table, valueAt } from './table.js';
import type { WriteTime } from './time.js';

/** What a table is written with. */
export interface Writing {
  readonly table: Table;
  readonly time: WriteTime;
  /** Whether times of whole rows are written in a zone too: without one they stay as the interface has them. */
  readonly inZone: boolean;
  /** Whose slices of the event loop it takes. */
  readonly organizationId: string;
  /** Whether rows were given out before, so that the file goes on without a head. */
  readonly goesOn: boolean;
}

/** How a table becomes a file. */
export interface Format {
  readonly contentType: string;
  /** Writes a table as it is read. Nothing comes before the first page was read, or is known to be empty. */
  write(writing: Writing): AsyncGenerator<string | Uint8Array, void>;
}

/** Rows that are written at once. */
const slice = 100;

async function* slices({ table, organizationId }: Writing): AsyncGenerator<readonly Row[], void> {
  for await (const page of table.pages) {
    for (let at = 0; at < page.length; at += slice) {
      await timeSlices.ifOver(organizationId);
      yield page.slice(at, at + slice);
    }
  }
}

async function* writeCsv(writing: Writing): AsyncGenerator<string, void> {
  const { table, time, goesOn } = writing;
  let head = goesOn ? '' : csvOf([table.columns.map(({ path }) => path)]);
  for await (const rows of slices(writing)) {
    yield head + csvOf(rows.map((row) => table.columns.map((column) => cellOf(row, column, time))));
    head = '';
  }
  if (head !== '') yield head;
}

async function* writeLines(writing: Writing): AsyncGenerator<string, void> {
  const { table, time, inZone } = writing;
  const { columns, isChosen } = table;
  const times = columns.filter(({ kind }) => kind === 'time');
  const line = (row: Row) => {
    if (isChosen) return Object.fromEntries(columns.map((column) => [column.path, shownValue(row, column, time)]));
    const { cursor: _cursor, ...shown } = row;
    return inZone ? { ...shown, ...timesOf(row, times, time) } : shown;
  };
  for await (const rows of slices(writing)) yield `${rows.map((row) => JSON.stringify(line(row))).join('\n')}\n`;
}

const timesOf = (row: Row, columns: readonly Column[], time: WriteTime) =>
  Object.fromEntries(
    columns.flatMap((column) => {
      const shown = shownValue(row, column, time);
      return shown == null ? [] : [[column.path, shown]];
    }),
  );

/** Rows of a row group at most, and characters of text. */
const groupRows = 20_000;
const groupCharacters = 8 * 2 ** 20;

async function* writeParquet(writing: Writing): AsyncGenerator<Uint8Array, void> {
  const { columns } = writing.table;
  const file = new ParquetFile(columns, writing.organizationId);
  const empty = () => columns.map((): ReturnType<typeof typedValue>[] => []);
  let [values, count, characters] = [empty(), 0, 0];
  for await (const rows of slices(writing)) {
    for (const [index, { path, kind }] of columns.entries()) {
      for (const row of rows) {
        const value = typedValue(valueAt(row, path), kind);
        if (typeof value === 'string') characters += value.length;
        values[index]!.push(value);
      }
    }
    count += rows.length;
    if (count < groupRows && characters < groupCharacters) continue;
    yield* file.group(values, count);
    [values, count, characters] = [empty(), 0, 0];
  }
  if (count > 0) yield* file.group(values, count);
  yield file.end();
}

/** The formats of files. */
export const formats: Readonly<Record<ExportFormat, Format>> = {
  [ExportFormat.csv]: { contentType: 'text/csv; charset=utf-8', write: writeCsv },
  [ExportFormat.ndjson]: { contentType: 'application/x-ndjson', write: writeLines },
  [ExportFormat.parquet]: { contentType: 'application/vnd.apache.parquet', write: writeParquet },
};
