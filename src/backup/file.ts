import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, open, rename, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress, zstdDecompressSync } from 'node:zlib';
import { z } from 'zod';

/*
 * A backup is one Zstandard stream (RFC 8878) of frames: a letter, the length of what follows (32 bits, big endian), and that.
 * H is the header, T begins a table, D has some of its rows as COPY writes them, E says what there was in all, and S is the
 * SHA-256 of every frame before it.
 */

/** A frame of a backup. The signature is for the reader alone. */
export interface Frame {
  kind: 'H' | 'T' | 'D' | 'E';
  payload: Buffer;
}

/** The newest form of files that this release reads, and the one that it writes. */
const format = 1;

const partition = z.object({ parent: z.object({ schema: z.string(), name: z.string() }), bound: z.string() });

/** A table of a backup. Partitions are tables of their own. */
const table = z.object({
  schema: z.string(),
  name: z.string(),
  /** Columns in the order of the rows; generated ones are left out. */
  columns: z.array(z.string()),
  /** Storage parameters, such as `fillfactor=75`. */
  options: z.array(z.string()),
  /** Where it is a partition: of which table, and of which values, as PostgreSQL writes it. */
  partition: partition.nullable(),
});
/** A table of a backup. */
export type Table = z.infer<typeof table>;

const header = z.object({
  format: z.number(),
  /** The release that wrote it. */
  version: z.string(),
  /** ISO 8601: everything that was committed before is in it. */
  createdAt: z.string(),
  /** Migrations that the database had, in their order. */
  migrations: z.array(z.string()),
  /** In an order in which no row refers to one of a later table. */
  tables: z.array(table),
});
/** What a backup begins with. */
export type Header = z.infer<typeof header>;

const end = z.object({
  /** Number of rows of each table of the header. */
  rows: z.array(z.number()),
  sequences: z.array(z.object({ schema: z.string(), name: z.string(), value: z.string(), called: z.boolean() })),
});
/** What a backup ends with. */
export type End = z.infer<typeof end>;

/** One frame as bytes. */
export function frame(kind: Frame['kind'] | 'S', payload: Buffer | object): Buffer {
  const bytes = Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload));
  const head = Buffer.alloc(5);
  head.write(kind, 'latin1');
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** What every backup of this release begins with. */
export const headerFrame = (value: Omit<Header, 'format'>): Buffer => frame('H', { format, ...value });

/**
 * Writes frames to a file that only its owner can read, and gives its size in bytes. It has its name once it is whole and on
 * the disk; until then it is beside that, with `.partial` behind its name.
 * @throws Error with a sentence where there is a file of the name, or a partial one
 */
export async function writeBackup(path: string, frames: AsyncIterable<Buffer>): Promise<number> {
  const partial = `${path}.partial`;
  if (await exists(path)) throw new Error(`${path} exists: name a new file.`);
  const file = await open(partial, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new Error(`${partial} exists: another backup writes it, or one was cut off. Delete it where none runs.`);
  });
  try {
    const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
    // Flushed: on the disk before it has its name.
    await pipeline(Readable.from(signed(frames)), compress, file.createWriteStream({ flush: true }));
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  return (await stat(path)).size;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function* signed(frames: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const bytes of frames) {
    hash.update(bytes);
    yield bytes;
  }
  yield frame('S', hash.digest());
}

/** No frame that we write is longer, in bytes: a header of 100,000 tables is shorter. */
const longestFrame = 64 * 2 ** 20;

const kinds: ReadonlySet<string> = new Set(['H', 'T', 'D', 'E', 'S']);

/**
 * Reads the frames of a backup: a header, tables with their rows, and the end.
 * @throws Error with a sentence, at the place where the file is cut or damaged
 */
export async function* readBackup(path: string): AsyncGenerator<Frame> {
  const damaged = (cause?: unknown) =>
    new Error(`${basename(path)} is cut, damaged, or no backup of this service: nothing of it is taken.`, { cause });
  const hash = createHash('sha256');
  const source = createReadStream(path);
  const bytes = source.pipe(createZstdDecompress());
  source.on('error', (error) => bytes.destroy(error));
  // Bytes after the end may raise an error after the last reader is gone.
  bytes.on('error', () => undefined);
  let rest: Buffer = Buffer.alloc(0);
  let signature: Buffer | undefined;
  let last: string | undefined;
  try {
    for await (const piece of bytes as AsyncIterable<Buffer>) {
      rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      for (let next = takeFrame(rest); next !== undefined; next = takeFrame(rest)) {
        const { kind, payload, length } = next;
        const fits = kinds.has(kind) && (kind === 'H') === (last === undefined) && (kind === 'S') === (last === 'E');
        if (!fits || payload.length > longestFrame) throw damaged();
        last = kind;
        if (kind === 'S') signature = payload;
        else hash.update(rest.subarray(0, length));
        rest = rest.subarray(length);
        if (kind !== 'S') yield { kind: kind as Frame['kind'], payload };
      }
      if (rest.length > longestFrame) throw damaged();
    }
  } catch (error) {
    throw isOfFile(error) ? error : damaged(error);
  } finally {
    source.destroy();
  }
  const isWhole = await endsAt(path, bytes.bytesWritten).catch((error: unknown) => {
    throw isOfFile(error) ? error : damaged(error);
  });
  if (!isWhole || rest.length > 0 || !signature?.equals(hash.digest())) throw damaged();
}

/** Bytes of a Zstandard frame of nothing, at most. */
const emptyFrame = 16;

/**
 * Whether a file ends where the decompressor ended. Where its last block fills a buffer of Node's compressor, that writes
 * a frame of nothing behind it.
 */
async function endsAt(path: string, end: number): Promise<boolean> {
  const { size } = await stat(path);
  if (size === end) return true;
  if (size < end || size - end > emptyFrame) return false;
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(size - end), 0, size - end, end);
    return zstdDecompressSync(buffer).length === 0;
  } finally {
    await file.close();
  }
}

/** Whether the file could not be read at all: its own error says why. */
const isOfFile = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall !== undefined;

function takeFrame(bytes: Buffer): { kind: string; payload: Buffer; length: number } | undefined {
  if (bytes.length < 5) return undefined;
  const length = 5 + bytes.readUInt32BE(1);
  return bytes.length < length
    ? undefined
    : { kind: bytes.toString('latin1', 0, 1), payload: bytes.subarray(5, length), length };
}

/**
 * Reads the header.
 * @throws Error with a sentence where a newer release wrote it
 */
export function readHeader({ payload }: Frame): Header {
  const value = JSON.parse(payload.toString()) as { format: number; version: string };
  if (!(value.format <= format)) throw newer(value.version);
  return header.parse(value);
}

/** Says that a backup is of a newer release than this. */
export const newer = (release: string): Error =>
  new Error(
    `The backup is of release ${release}, which is newer than this one. Restore it with that release or a newer one.`,
  );

/** Reads what a backup ends with. */
export const readEnd = ({ payload }: Frame): End => end.parse(JSON.parse(payload.toString()));

/** Rows that end in a piece of what COPY wrote: it writes a line break inside a value as two other characters. */
export function countRows(piece: Buffer): number {
  let rows = 0;
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) rows++;
  return rows;
}
