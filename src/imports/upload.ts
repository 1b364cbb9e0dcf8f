import { isUtf8 } from 'node:buffer';
import { invalid, tooLarge } from '#common/errors.js';
import { ImportFormat } from '#entities/file-import.js';
import type { PartWriter } from './file-store.js';

const newline = 0x0a;
const mebibyte = 2 ** 20;

/** Result of an upload: the approximate number of lines. */
export interface Uploaded {
  lines: number;
}

/**
 * Stores a file as it arrives and checks that it has the stated format. It keeps a few hundred KiB in memory.
 * @throws ApiError 413 above `maxBytes`; 422 for a file of another format, and for text that is not UTF-8
 */
export async function upload(
  bytes: AsyncIterable<Uint8Array>,
  writer: PartWriter,
  { format, maxBytes }: { format: ImportFormat; maxBytes: number },
): Promise<Uploaded> {
  const check = format === ImportFormat.parquet ? new ParquetCheck() : new TextCheck();
  for await (const chunk of bytes) {
    if (writer.size + chunk.length > maxBytes)
      throw tooLarge(`A file of this kind has at most ${maxBytes / mebibyte} MiB; send it in parts.`);
    check.add(chunk);
    await writer.add(chunk);
  }
  check.end();
  await writer.end();
  return { lines: check.lines };
}

const refuse = (message: string) => invalid([{ path: '', message }]);

const isAt = (bytes: Uint8Array, ...values: number[]) => values.every((value, index) => bytes[index] === value);

/** Checks that a file is text in UTF-8. Its errors name what spreadsheets and older programs write instead. */
class TextCheck {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private newlines = 0;
  private last = newline;
  private isStart = true;

  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    if (this.isStart) requireText(chunk);
    this.isStart = false;
    try {
      this.decoder.decode(chunk, { stream: true });
    } catch {
      throw this.notUtf8(this.newlines + 1 + brokenLine(chunk));
    }
    if (chunk.includes(0)) throw refuse('The file holds zero bytes, so it is not text in UTF-8. Save it as UTF-8.');
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) this.newlines++;
    this.last = chunk.at(-1)!;
  }

  end(): void {
    if (this.isStart) throw refuse('The file is empty.');
    try {
      this.decoder.decode();
    } catch {
      throw this.notUtf8(this.lines);
    }
  }

  get lines(): number {
    return this.newlines + (this.last === newline ? 0 : 1);
  }

  private notUtf8(line: number) {
    return refuse(`Line ${line} is not UTF-8: save the file as UTF-8 (in Excel: "CSV UTF-8"), and send it again.`);
  }
}

const requireText = (chunk: Uint8Array): void => {
  if (isAt(chunk, 0xff, 0xfe) || isAt(chunk, 0xfe, 0xff))
    throw refuse('The file is UTF-16: save it as UTF-8 (in Excel: "CSV UTF-8"), and send it again.');
  if (isAt(chunk, 0x50, 0x4b, 0x03, 0x04))
    throw refuse('This is a spreadsheet or an archive, not text: save it as CSV in UTF-8.');
  if (isAt(chunk, 0x50, 0x41, 0x52, 0x31))
    throw refuse('This is a Parquet file: send it with "Content-Type: application/vnd.apache.parquet".');
  if (isAt(chunk, 0x1f, 0x8b))
    throw refuse('The file is compressed: send it with the header "Content-Encoding: gzip".');
};

/** Returns the line of a chunk, from 0, that is not UTF-8. The first line may begin in the middle of a character. */
const brokenLine = (chunk: Uint8Array): number => {
  let from = 0;
  while (from < 3 && (chunk[from]! & 0xc0) === 0x80) from++;
  for (let line = 0; ; line++) {
    const end = chunk.indexOf(newline, from);
    if (end < 0 || !isUtf8(chunk.subarray(from, end))) return line;
    from = end + 1;
  }
};

/** Checks that a file begins and ends with the same four bytes, as Parquet files do. */
class ParquetCheck {
  readonly lines = 0;
  private start = Buffer.alloc(0);
  private tail = Buffer.alloc(0);

  add(chunk: Uint8Array): void {
    if (this.start.length < 4) this.start = Buffer.concat([this.start, chunk.subarray(0, 4)]).subarray(0, 4);
    this.tail = Buffer.concat([this.tail, chunk.subarray(-4)]).subarray(-4);
  }

  end(): void {
    const magic = Buffer.from('PAR1');
    if (!this.start.equals(magic) || !this.tail.equals(magic))
      throw refuse('This is not a complete Parquet file: it must begin and end with the bytes PAR1.');
  }
}
