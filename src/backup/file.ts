import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, open, rename, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress, zstdDecompressSync } from 'node:zlib';
import { z } from 'zod';

/*
 * A backup is one Zstandard stream (RFC 8878) of frames: a letter, the length of the payload (32 bits, big endian), and
 * the payload. H is the header, T begins a table, D holds some of its rows as COPY writes them, E holds the total
 * counts, and S is the SHA-256 of every frame before it.
 */

/** A frame of a backup. The signature frame never leaves the reader. */
export interface Frame {
  kind: 'H' | 'T' | 'D' | 'E';
  payload: Buffer;
}

/** Version of the file format that this release writes, and the newest that it reads. */
const format = 1;

const partition = z.object({ parent: z.object({ schema: z.string(), name: z.string() }), bound: z.string() });

/** A table of a backup. Partitions are tables of their own. */
const table = z.object({
  schema: z.string(),
  name: z.string(),
  /** Columns in the order of the values, without generated ones. */
  columns: z.array(z.string()),
  /** Storage parameters, such as `fillfactor=75`. */
  options: z.array(z.string()),
  /** Parent and bounds of a partition, as PostgreSQL writes them; null for other tables. */
  partition: partition.nullable(),
});
/** A table of a backup. */
export type Table = z.infer<typeof table>;

const header = z.object({
  format: z.number(),
  /** Release that wrote the backup. */
  version: z.string(),
  /** Time of the backup, ISO 8601. It includes everything that was committed before. */
  createdAt: z.string(),
  /** Applied migrations of the database, in order. */
  migrations: z.array(z.string()),
  /** Tables in an order in which no row refers to a later table. */
  tables: z.array(table),
});
/** Header of a backup. */
export type Header = z.infer<typeof header>;

const end = z.object({
  /** Number of rows of each table of the header. */
  rows: z.array(z.number()),
  sequences: z.array(z.object({ schema: z.string(), name: z.string(), value: z.string(), called: z.boolean() })),
});
/** End of a backup. */
export type End = z.infer<typeof end>;

/** Encodes a frame. */
export function frame(kind: Frame['kind'] | 'S', payload: Buffer | object): Buffer {
  const bytes = Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload));
  const head = Buffer.alloc(5);
  head.write(kind, 'latin1');
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** Encodes the header of a backup of this release. */
export const headerFrame = (value: Omit<Header, 'format'>): Buffer => frame('H', { format, ...value });

/**
 * Writes frames to a file that only its owner can read, and returns its size in bytes. Until the file is complete and
 * on disk, its name ends with `.partial`.
 * @throws Error with a sentence if the file or a partial one exists
 */
export async function writeBackup(path: string, frames: AsyncIterable<Buffer>): Promise<number> {
  const partial = `${path}.partial`;
  if (await exists(path)) throw new Error(`${path} exists: name a new file.`);
  const file = await open(partial, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new Error(`${partial} exists: another backup writes it, or one was cut off. Delete it if none runs.`);
  });
  try {
    const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
    // `flush` puts the file on disk before it gets its name.
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

/** Maximum size of a frame in bytes. A header of 100,000 tables is smaller. */
const longestFrame = 64 * 2 ** 20;

const kinds: ReadonlySet<string> = new Set(['H', 'T', 'D', 'E', 'S']);

/**
 * Reads the frames of a backup: the header, the tables with their rows, and the end.
 * @throws Error with a sentence when it reaches the place where the file is cut or damaged
 */
export async function* readBackup(path: string): AsyncGenerator<Frame> {
  const damaged = (cause?: unknown) =>
    new Error(`${basename(path)} is cut off, damaged, or not a backup of this service; nothing was restored.`, {
      cause,
    });
  const hash = createHash('sha256');
  const source = createReadStream(path);
  const bytes = source.pipe(createZstdDecompress());
  source.on('error', (error) => bytes.destroy(error));
  // Bytes after the end may raise an error after the last reader has finished.
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

/** Maximum size of an empty Zstandard frame in bytes. */
const emptyFrame = 16;

/**
 * Whether a file ends where the decompressor ended. Node's compressor appends an empty frame if the last block fills
 * its buffer.
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

/** Whether the file could not be read at all; the error itself then gives the reason. */
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
 * @throws Error with a sentence if a newer release wrote it
 */
export function readHeader({ payload }: Frame): Header {
  const value = JSON.parse(payload.toString()) as { format: number; version: string };
  if (!(value.format <= format)) throw newer(value.version);
  return header.parse(value);
}

/** Creates the error for a backup of a newer release. */
export const newer = (release: string): Error =>
  new Error(
    `The backup is of release ${release}, which is newer than this one. Restore it with that release or a newer one.`,
  );

/** Reads the end of a backup. */
export const readEnd = ({ payload }: Frame): End => end.parse(JSON.parse(payload.toString()));

/**
 * Counts the rows that end in a piece of COPY's output. COPY writes a line break inside a value as two other
 * characters.
 */
export function countRows(piece: Buffer): number {
  let rows = 0;
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) rows++;
  return rows;
}
