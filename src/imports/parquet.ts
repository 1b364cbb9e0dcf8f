import { Worker } from 'node:worker_threads';
import type { ImportFault } from '../entities/file-import.js';
import { ApiError } from '../errors.js';

/** What the thread that reads Parquet is given: bytes of the file, the row group to read, and what it may hold. */
export interface ParquetTask {
  size: number;
  group: number;
  maxRows: number;
  maxBytes: number;
}

/** What it asks and tells. */
export type FromParquet =
  | { start: number; end: number }
  | { text: string }
  | { faults: ImportFault[] }
  | { done: true; isLast: boolean }
  | { failure: string };

/** What it is answered: bytes that it wants, or that its text was taken. */
export type ToParquet = { bytes: ArrayBuffer } | { taken: true };

/** What of a file may be in memory. */
const limits = { maxRows: 1_000_000, maxBytes: 64 * 2 ** 20 };
const heapMebibytes = 512;
/** How much more the process may hold meanwhile, in bytes: arrays of numbers lie outside of a thread's heap. */
const maxGrowth = 2 ** 30;
/** How long a row group may take, in milliseconds. */
const timeout = 120_000;

/** What became of a row group. */
export type RowGroup = { faults: ImportFault[] } | { isLast: boolean };

/**
 * Reads a row group of a Parquet file as lines of NDJSON, each a record in our own form, in a thread of its own.
 * @param read bytes of the file
 * @param take lines
 * @throws ApiError where the file is broken or too large
 */
export async function readRowGroup(
  { size, group }: { size: number; group: number },
  read: (start: number, end: number) => Promise<Buffer>,
  take: (text: string) => Promise<void>,
): Promise<RowGroup> {
  const workerData: ParquetTask = { size, group, ...limits };
  const worker = new Worker(new URL('./parquet-worker.js', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: heapMebibytes },
  });
  const before = process.memoryUsage.rss();
  const begun = performance.now();
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() - before > maxGrowth || performance.now() - begun > timeout) void worker.terminate();
  }, 100);
  try {
    return await new Promise<RowGroup>((resolve, reject) => {
      worker.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? broken('it takes too much memory') : error),
      );
      worker.once('exit', () => reject(broken('it takes too much memory or time')));
      worker.on('message', (message: FromParquet) => {
        // At once: with what ends the thread its exit is told, in the same turn of the event loop.
        if ('failure' in message) reject(broken(message.failure));
        else if ('faults' in message) resolve({ faults: message.faults });
        else if ('done' in message) resolve({ isLast: message.isLast });
        else answer(message, read, take).then((reply) => worker.postMessage(reply, []), reject);
      });
    });
  } finally {
    clearInterval(watch);
    await worker.terminate();
  }
}

const answer = async (
  message: Extract<FromParquet, { start: number } | { text: string }>,
  read: (start: number, end: number) => Promise<Buffer>,
  take: (text: string) => Promise<void>,
): Promise<ToParquet> => {
  if ('text' in message) {
    await take(message.text);
    return { taken: true };
  }
  return { bytes: new Uint8Array(await read(message.start, message.end)).buffer };
};

const broken = (why: string) => new ApiError('VALIDATION_FAILED', `The Parquet file cannot be read: ${why}.`);
