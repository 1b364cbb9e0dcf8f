import { type Cell, csvOf } from '#common/csv.js';
import { ExportFormat } from '#entities/export.js';
import { timeSlices } from '#scheduling/time-slice.js';
import { ParquetFile, typedValue } from './parquet.js';
import { type Column, type ExportRow, type Table, valueAt } from './table.js';
import type { WriteTime } from './time.js';

/** Parameters of writing a table. */
export interface Writing {
  readonly table: Table;
  readonly time: WriteTime;
  /** Whether times of whole rows are converted to a time zone. Otherwise they stay in the API's form. */
  readonly inZone: boolean;
  /** Organization whose time slices of the event loop the work takes. */
  readonly organizationId: string;
  /** Whether the export resumes after earlier rows, so that the file has no header. */
  readonly goesOn: boolean;
  /** Whether a CSV file begins with a byte order mark. */
  readonly bom: boolean;
}

/** A file format. */
export interface Format {
  readonly contentType: string;
  /** Writes a table while it is read. Yields nothing before the first page was read, or is known to be empty. */
  write(writing: Writing): AsyncGenerator<string | Uint8Array, void>;
}

/** Maximum number of rows that are written at once, and approximate number of characters. */
const mostRows = 100;
const mostCharacters = 2 ** 20;
/** Number of cells between two checks of the time slice. */
const cellsAtOnce = 16;

/** Waits for the organization's next time slice if the current one is over. */
const pause = (organizationId: string): Promise<void> | undefined =>
  timeSlices.isOver(organizationId) ? timeSlices.next(organizationId) : undefined;

/** Makes the cells of rows in batches, within time slices, however many rows there are and however long a row takes. */
async function* cellsOf<Made>(
  { table, organizationId }: Writing,
  columns: readonly Column[],
  make: (row: ExportRow, column: Column) => Made,
): AsyncGenerator<Made[][], void> {
  for await (const page of table.pages) {
    let [rows, characters]: [Made[][], number] = [[], 0];
    for (const row of page) {
      await pause(organizationId);
      const cells: Made[] = [];
      for (const column of columns) {
        const cell = make(row, column);
        if (typeof cell === 'string') characters += cell.length;
        if (cells.push(cell) % cellsAtOnce === 0) await pause(organizationId);
      }
      rows.push(cells);
      if (rows.length < mostRows && characters < mostCharacters) continue;
      yield rows;
      [rows, characters] = [[], 0];
    }
    if (rows.length > 0) yield rows;
  }
}

async function* writeCsv(writing: Writing): AsyncGenerator<string, void> {
  const { table, time, goesOn, bom } = writing;
  let head = goesOn ? '' : `${bom ? '\uFEFF' : ''}${csvOf([table.columns.map(({ path }) => path)])}`;
  for await (const rows of cellsOf(writing, table.columns, (row, column) => cellOf(row, column, time))) {
    yield head + csvOf(rows);
    head = '';
  }
  if (head !== '') yield head;
}

const writeLines = (writing: Writing): AsyncGenerator<string, void> =>
  writing.table.isChosen ? writeChosen(writing) : writeWhole(writing);

/** Writes lines with the chosen columns, each once. A column that a row lacks is left out. */
async function* writeChosen(writing: Writing): AsyncGenerator<string, void> {
  const { table, time } = writing;
  const columns = [...new Map(table.columns.map((column) => [column.path, column])).values()];
  const make = (row: ExportRow, column: Column): string => {
    const value = JSON.stringify(shownValue(row, column, time)) as string | undefined;
    return value === undefined ? '' : `${JSON.stringify(column.path)}:${value}`;
  };
  for await (const rows of cellsOf(writing, columns, make))
    yield rows.map((cells) => `{${cells.filter((cell) => cell !== '').join(',')}}\n`).join('');
}

async function* writeWhole({ table, time, inZone, organizationId }: Writing): AsyncGenerator<string, void> {
  const times = table.columns.filter(({ kind }) => kind === 'time');
  for await (const page of table.pages) {
    let [text, rows] = ['', 0];
    for (const { cursor: _cursor, ...shown } of page) {
      await pause(organizationId);
      text += `${JSON.stringify(inZone ? { ...shown, ...timesOf(shown, times, time) } : shown)}\n`;
      if (++rows < mostRows && text.length < mostCharacters) continue;
      yield text;
      [text, rows] = ['', 0];
    }
    if (text !== '') yield text;
  }
}

const timesOf = (row: ExportRow, columns: readonly Column[], time: WriteTime) =>
  Object.fromEntries(
    columns.flatMap((column) => {
      const shown = shownValue(row, column, time);
      return shown == null ? [] : [[column.path, shown]];
    }),
  );

/** Maximum number of rows of a row group, and of characters of text. */
const groupRows = 20_000;
const groupCharacters = 8 * 2 ** 20;

async function* writeParquet(writing: Writing): AsyncGenerator<Uint8Array, void> {
  const { columns } = writing.table;
  const file = new ParquetFile(columns, writing.organizationId);
  const empty = () => columns.map((): ReturnType<typeof typedValue>[] => []);
  let [values, count, characters] = [empty(), 0, 0];
  const make = (row: ExportRow, column: Column) => typedValue(valueAt(row, column.path), column);
  for await (const rows of cellsOf(writing, columns, make)) {
    for (const cells of rows) {
      for (const [index, value] of cells.entries()) {
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

/** The file formats. */
export const formats: Readonly<Record<ExportFormat, Format>> = {
  [ExportFormat.csv]: { contentType: 'text/csv; charset=utf-8', write: writeCsv },
  [ExportFormat.ndjson]: { contentType: 'application/x-ndjson', write: writeLines },
  [ExportFormat.parquet]: { contentType: 'application/vnd.apache.parquet', write: writeParquet },
};

/** Returns the value of a column as plain JSON, with times as text. */
const shownValue = (row: ExportRow, { path, kind }: Column, time: WriteTime): unknown => {
  const value = valueAt(row, path);
  return kind === 'time' && (typeof value === 'number' || typeof value === 'string') ? time(value) : value;
};

/**
 * Returns the value of a column as a cell. Objects and arrays become JSON. An array of a text variable holds texts, as
 * searches read it: imports tell it from a text such as `[1,2]` by that.
 */
const cellOf = (row: ExportRow, column: Column, time: WriteTime): Cell => {
  const value = shownValue(row, column, time);
  if (typeof value !== 'object' || value === null) return value as Cell;
  const isTexts = column.isText === true && Array.isArray(value) && value.every(isScalar);
  return JSON.stringify(isTexts ? value.filter((each) => each !== null).map(String) : value);
};

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
