import { CsvError, type Parser, parse } from 'csv-parse';

/** A row of a CSV file. */
export interface CsvRow {
  /** Its first line, counted from 1. */
  line: number;
  cells: string[];
  /** Indices of the cells in quotes, if there are any. */
  quoted?: ReadonlySet<number>;
}

/** A place at which the file is not CSV. */
export interface BrokenRow {
  line: number;
  /** Column, counted from 1, if known. */
  column?: number;
  message: string;
}

/** Byte offset and line of the beginning of a row. */
export interface RowPosition {
  offset: number;
  line: number;
}

/** A page of rows, those that are not CSV, and the place of the next ones. */
export interface CsvPage {
  rows: CsvRow[];
  broken: BrokenRow[];
  next: RowPosition;
  isLast: boolean;
}

/** Maximum number of characters of a row. */
const longestRow = 256 * 1024;
/** Number of bytes after which a page ends, if it has at least one row. */
const pageSize = 1024 * 1024;
/** Number of bytes that are parsed at a time, which takes a few milliseconds of the event loop. */
const blockSize = 64 * 1024;
const newline = 0x0a;

type Blocks = (offset: number) => AsyncIterable<Buffer>;

/** Limits of a page. `limit` counts all rows, `maxBroken` those that are not CSV. Both are at least 1. */
interface PageOptions {
  delimiter: string;
  limit: number;
  maxBroken: number;
}

/**
 * Reads a page of CSV (RFC 4180) from a place on. Lines end with CRLF or LF; empty lines are skipped. Reading goes on
 * with the line after a row that is not CSV.
 * @param blocks returns the bytes of the file from an offset on
 */
export async function readCsv(
  blocks: Blocks,
  from: RowPosition,
  { delimiter, limit, maxBroken }: PageOptions,
): Promise<CsvPage> {
  const page: CsvPage = { rows: [], broken: [], next: from, isLast: false };
  for (let [read, left] = [0, limit]; ; ) {
    const part = await readPart(blocks, page.next, { delimiter, limit: left });
    page.rows.push(...part.rows);
    Object.assign(page, { next: part.next, isLast: part.isLast });
    if (part.broken === undefined) return page;
    page.broken.push(part.broken);
    read += part.read;
    left = limit - page.rows.length - page.broken.length;
    if (page.isLast || left === 0 || page.broken.length === maxBroken || read >= pageSize) return page;
  }
}

/** Rows that end with the first one that is not CSV. */
interface CsvPart extends Omit<CsvPage, 'broken'> {
  broken?: BrokenRow;
  /** Number of bytes that were parsed, or a part of the last block more. */
  read: number;
}

const readPart = async (
  blocks: Blocks,
  from: RowPosition,
  { delimiter, limit }: { delimiter: string; limit: number },
): Promise<CsvPart> => {
  const found: ParsedRow[] = [];
  const parser = openParser({ delimiter, limit }, (row) => found.push(row));
  const lines = new LineCounter(from);
  let [read, isLast] = [0, false];
  const isFull = () => found.length === limit || (read >= pageSize && found.length > 0);
  try {
    for await (const block of blocks(from.offset)) {
      lines.add(block);
      for (let at = 0; at < block.length && found.length < limit; at += blockSize) {
        const part = block.subarray(at, at + blockSize);
        read += part.length;
        await write(parser, part);
      }
      if (isFull()) break;
    }
    if (!isFull()) {
      await end(parser);
      isLast = found.length < limit;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const rows = found.map((row) => lines.rowTo(row));
    const broken = brokenRow(error, lines.beginRow());
    return { rows, broken, read, ...(await lines.afterLine(blocks)) };
  } finally {
    parser.destroy();
  }
  return { rows: found.map((row) => lines.rowTo(row)), next: lines.place, isLast, read };
};

/** A row, and the byte after it, counted from the first byte read. */
interface ParsedRow extends Omit<CsvRow, 'line'> {
  end: number;
}

const openParser = (
  { delimiter, limit }: { delimiter: string; limit: number },
  onRow: (row: ParsedRow) => void,
): Parser => {
  let quoted: Set<number> | undefined;
  return parse({
    delimiter,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: longestRow,
    // Without it, the rest of a block would be parsed for nothing.
    to: limit,
    cast(cell: string, { quoting, index }) {
      if (quoting) (quoted ??= new Set()).add(index);
      return cell;
    },
    on_record(cells: string[], { bytes }) {
      onRow({ cells, end: bytes, ...(quoted && { quoted }) });
      quoted = undefined;
      return null;
    },
  });
};

const write = (parser: Parser, block: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.once('error', reject);
    parser.write(block, (error) => {
      parser.removeListener('error', reject);
      if (error) {
        // The stream emits the error a second time.
        parser.on('error', () => undefined);
        reject(error);
      } else resolve();
    });
  });

const end = (parser: Parser): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.once('error', reject);
    parser.once('end', resolve);
    parser.resume();
    parser.end();
  });

/** Computes the lines of rows from their bytes, because csv-parse counts a CRLF inside quotes twice. */
class LineCounter {
  private readonly blocks: Buffer[] = [];
  private bytes = Buffer.alloc(0);
  private offset = 0;
  private line: number;

  constructor(private readonly from: RowPosition) {
    this.line = from.line;
  }

  add(block: Buffer): void {
    this.blocks.push(block);
  }

  /** Position after the last counted row. */
  get place(): RowPosition {
    return { offset: this.from.offset + this.offset, line: this.line };
  }

  /** Counts a row. */
  rowTo({ end, ...row }: ParsedRow): CsvRow {
    const line = this.beginRow();
    this.skipTo(end);
    return { line, ...row };
  }

  /** Skips empty lines and returns the line of the next row. */
  beginRow(): number {
    const all = this.all();
    let at = this.offset;
    while (all[at] === newline || (all[at] === 0x0d && all[at + 1] === newline)) at++;
    this.skipTo(at);
    return this.line;
  }

  /** Skips to the next line, which may lie beyond the bytes read. */
  async afterLine(blocks: Blocks): Promise<Pick<CsvPage, 'next' | 'isLast'>> {
    const start = this.place;
    const all = this.all();
    const end = all.indexOf(newline, this.offset);
    if (end >= 0) return { next: { offset: this.from.offset + end + 1, line: start.line + 1 }, isLast: false };
    let offset = this.from.offset + all.length;
    for await (const block of blocks(offset)) {
      const at = block.indexOf(newline);
      if (at >= 0) return { next: { offset: offset + at + 1, line: start.line + 1 }, isLast: false };
      offset += block.length;
    }
    return { next: { offset, line: start.line }, isLast: true };
  }

  private skipTo(end: number): void {
    const all = this.all();
    for (let at = all.indexOf(newline, this.offset); at >= 0 && at < end; at = all.indexOf(newline, at + 1))
      this.line++;
    this.offset = end;
  }

  private all(): Buffer {
    if (this.blocks.length > 0) this.bytes = Buffer.concat([this.bytes, ...this.blocks.splice(0)]);
    return this.bytes;
  }
}

const sentences: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE:
    'Text follows the closing quote of a cell. Write a separator after the closing quote, and a quote inside the cell twice ("").',
  INVALID_OPENING_QUOTE:
    'A cell without quotes holds a quote. Put the whole cell in quotes, and write the quote twice ("").',
  CSV_QUOTE_NOT_CLOSED: 'The quote that opens here is never closed.',
  CSV_MAX_RECORD_SIZE: `A row has more than ${longestRow / 1024} Ki characters. Look for a quote that is not closed.`,
};

const brokenRow = (error: CsvError, line: number): BrokenRow => {
  const column = (error as { column?: unknown }).column;
  return {
    line,
    ...(typeof column === 'number' && { column: column + 1 }),
    message: sentences[error.code] ?? 'This line is not CSV.',
  };
};

/**
 * Detects the separator of a file from its first line: the most frequent one of comma, semicolon and tab outside
 * quotes.
 */
export const separatorOf = (firstLine: string): string => {
  const counts = new Map([',', ';', '\t'].map((each) => [each, 0]));
  let quoted = false;
  for (const character of firstLine) {
    if (character === '"') quoted = !quoted;
    else if (character === '\n' && !quoted) break;
    else if (!quoted && counts.has(character)) counts.set(character, counts.get(character)! + 1);
  }
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
};
