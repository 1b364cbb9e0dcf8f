import type { PoolClient } from 'pg';
import { JsonSyntaxError } from '#json/json.js';
import { parsePlainRecords } from '#json/plain.js';
import type { PlainObject } from '#records/item.js';
import type { RowPosition } from './csv.js';
import { type Content, readFrom } from './file-store.js';
import type { Tally } from './import-row.js';
import { longestLine } from './line-limit.js';
import { lineOf, type RecordLine } from './record-line.js';

/** Progress of reading NDJSON. */
export interface LineCursor extends RowPosition {
  rows: number;
}

/** Result of a step. The last step has no cursor. */
export interface LineStep {
  tally: Tally;
  cursor?: LineCursor;
}

/** Reads the next lines of stored NDJSON and passes them to `take`. */
export async function stepThroughLines(
  tx: PoolClient,
  { importId, content, limits }: { importId: string; content: Content; limits: { rows: number; step: number } },
  before: LineCursor | null,
  take: (lines: readonly RecordLine[], offset: number) => Promise<Tally>,
): Promise<LineStep> {
  const from = before ?? { offset: 0, line: 1, rows: 0 };
  const left = limits.rows - from.rows;
  const page = await readLines(
    (offset) => readFrom(tx, importId, content, offset),
    from,
    Math.min(limits.step, left + 1),
  );
  const tally = await take(page.lines.slice(0, left).map(readLine), from.offset);
  const beyond = page.lines[left];
  if (beyond !== undefined) {
    const message = `A file has at most ${limits.rows} lines: this one and those after it were not read.`;
    return { tally: { ...tally, faults: [...tally.faults, { line: beyond.line, message }] } };
  }
  if (page.isLast) return { tally };
  return { tally, cursor: { ...page.next, rows: from.rows + page.lines.length } };
}

const readLine = ({ line, text }: TextLine): RecordLine => {
  if (text === undefined) return { line, fault: { message: `A line has at most ${longestLine / 1024} KiB.` } };
  try {
    const body = parsePlainRecords(text);
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      return { line, fault: { message: 'Each line must be one record, an object.' } };
    return lineOf(line, body as PlainObject);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { line, fault: { column: error.col, message: `is not JSON: ${error.message}` } };
  }
};

/** A line of text without its end. `text` is undefined if the line is too long. */
interface TextLine {
  line: number;
  text: string | undefined;
}

/** Approximate number of bytes that are read at once. */
const pageSize = 1024 * 1024;
const newline = 0x0a;

/** Reads at most `limit` lines of UTF-8 from a place on. Blank lines are skipped. */
async function readLines(
  blocks: (offset: number) => AsyncIterable<Buffer>,
  from: RowPosition,
  limit: number,
): Promise<{ lines: TextLine[]; next: RowPosition; isLast: boolean }> {
  const lines: TextLine[] = [];
  let { offset, line } = from;
  let rest: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer) => {
    const isTooLong = length + part.length > longestLine;
    const text = isTooLong
      ? undefined
      : Buffer.concat([...rest, part])
          .toString('utf8')
          .trim();
    if (text !== '') lines.push({ line, text });
    rest = [];
    length = 0;
  };
  for await (const block of blocks(from.offset)) {
    let start = 0;
    for (let end = block.indexOf(newline); end >= 0; end = block.indexOf(newline, start)) {
      const part = block.subarray(start, end);
      offset += length + part.length + 1;
      take(part);
      line++;
      start = end + 1;
      if (lines.length >= limit || (offset - from.offset >= pageSize && lines.length > 0))
        return { lines, next: { offset, line }, isLast: false };
    }
    const part = block.subarray(start);
    length += part.length;
    // Nothing is kept of a line that is too long.
    if (length > longestLine) rest = [];
    else rest.push(part);
  }
  if (length > 0) take(Buffer.alloc(0));
  return { lines, next: { offset: offset + length, line }, isLast: true };
}
