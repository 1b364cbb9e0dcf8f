import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ImportFault } from '../entities/file-import.js';
import { ApiError } from '../errors.js';

/** Where the unpacking of a Parquet file stands. */
export interface ParquetCursor {
  group: number;
  /** The next row of the group. */
  row: number;
  /** Bytes of pages without compression, and values, of the groups before. */
  bytes: number;
  values: number;
}

/** What the process that reads Parquet is to do: go on from a place for so long. */
export interface ParquetTask {
  /** Bytes of the file. */
  size: number;
  cursor: ParquetCursor;
  milliseconds: number;
}

/** What it asks and tells; without a cursor the file is read. */
export type FromParquet =
  | { start: number; end: number }
  | { text: string }
  | { faults: ImportFault[] }
  | { cursor: ParquetCursor | null }
  | { failure: string };

/** What it is told: bytes that it wants, the end of them, or that its text was taken. */
export type ToParquet = { task: ParquetTask } | { bytes: Uint8Array } | { done: true };

/** What became of a step. */
export type Unpacked = { faults: ImportFault[] } | { cursor: ParquetCursor | null };

/** What the process is read for, and what ends it early. */
export interface Unpacking {
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  take(text: string): Promise<void>;
  signal: AbortSignal;
}

const heapMebibytes = 512;
/** KiB of address space and of data, and seconds of a processor, that the process may take. */
const limits = { addresses: 4 * 2 ** 20, data: 1.5 * 2 ** 20, seconds: 20 };
/** How long it may take in all, in milliseconds: shorter than the lease of a job. */
const deadline = 100_000;

/**
 * Reads rows of a Parquet file as lines of NDJSON, each a record in our own form, in a process of its own that has nothing of
 * this one's environment.
 * @throws ApiError where the file is broken or too large
 */
export async function unpackParquet(task: ParquetTask, { read, take, signal }: Unpacking): Promise<Unpacked> {
  signal.throwIfAborted();
  const child = startChild();
  const timer = setTimeout(() => child.kill('SIGKILL'), deadline);
  let stop = (): void => undefined;
  try {
    return await new Promise<Unpacked>((resolve, reject) => {
      stop = () => reject(signal.reason as Error);
      signal.addEventListener('abort', stop);
      child.once('error', reject);
      child.once('exit', () => reject(broken('it takes too much memory or time; write it with smaller row groups')));
      child.on('message', (message: FromParquet) => {
        if ('failure' in message) reject(broken(message.failure));
        else if ('faults' in message || 'cursor' in message) resolve(message);
        else answer(child, message, { size: task.size, read, take }).catch(reject);
      });
      child.send({ task } satisfies ToParquet);
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    child.kill('SIGKILL');
  }
}

const startChild = (): ChildProcess => {
  const program = fileURLToPath(new URL('./parquet-child.js', import.meta.url));
  const node = [process.execPath, `--max-old-space-size=${heapMebibytes}`, program];
  const { addresses, data, seconds } = limits;
  // Only Linux counts both. A limit that cannot be set, because a lower one holds, is left. Where the memory of a container is
  // used up, the kernel ends this process first.
  const limit = [`-c 0`, `-v ${addresses}`, `-d ${data}`, `-t ${seconds}`].map((each) => `ulimit ${each} 2>/dev/null`);
  const [command, ...args] =
    process.platform === 'linux'
      ? ['/bin/sh', '-c', `${limit.join('; ')}; echo 1000 >/proc/self/oom_score_adj; exec "$0" "$@"`, ...node]
      : node;
  return spawn(command!, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced', env: {} });
};

const answer = async (
  child: ChildProcess,
  message: Extract<FromParquet, { start: number } | { text: string }>,
  { size, read, take }: Pick<Unpacking, 'read' | 'take'> & { size: number },
): Promise<void> => {
  if ('text' in message) await take(message.text);
  else {
    const { start, end } = message;
    if (start < 0 || end > size || end < start) throw broken('a column lies outside of the file');
    for await (const bytes of read(start, end)) await send(child, { bytes });
  }
  await send(child, { done: true });
};

/** Sends a message; the next one waits until the pipe has taken it. A process that is gone has ended the step already. */
const send = (child: ChildProcess, message: ToParquet): Promise<void> =>
  new Promise((resolve) => {
    child.send(message, () => resolve());
  });

const broken = (why: string) => new ApiError('VALIDATION_FAILED', `The Parquet file cannot be read: ${why}.`);
