import type { Place } from './csv.js';
import { longestLine } from './line-limit.js';

/** A line of text without its end. `text` is undefined if the line is too long. */
export interface TextLine {
  line: number;
  text: string | undefined;
}

/** Approximate number of bytes that are read at once. */
const pageSize = 1024 * 1024;
const newline = 0x0a;

/** Reads at most `limit` lines of UTF-8 from a place on. Blank lines are skipped. */
export async function readLines(
  blocks: (offset: number) => AsyncIterable<Buffer>,
  from: Place,
  limit: number,
): Promise<{ lines: TextLine[]; next: Place; isLast: boolean }> {
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
