import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ApiError } from '#common/errors.js';
import type { ImportFault } from '#entities/file-import.js';

/** Progress of unpacking a Parquet file. */
export interface ParquetCursor {
  group: number;
  /** Next row of the group. */
  row: number;
  /** Decompressed bytes of pages, and values, of the groups before. */
  bytes: number;
  values: number;
}

/** Task of the process that reads Parquet: continue from a cursor for a limited time. */
export interface ParquetTask {
  /** Size of the file in bytes. */
  size: number;
  cursor: ParquetCursor;
  milliseconds: number;
}

/**
 * Messages of the child process: a request for bytes, or a result. A null cursor means that the file is read
 * completely.
 */
export type FromParquet = { start: number; end: number } | { text: string } | Unpacked | { failure: string };

/**
 * Messages to the child process: its task, requested bytes, or the end of an answer (all bytes were sent, or its text
 * was taken).
 */
export type ToParquet = { task: ParquetTask } | { bytes: Uint8Array } | { done: true };

/** Result of a step. At the end of the file, `dotted` has the names of values whose dots made objects. */
export type Unpacked =
  | { faults: ImportFault[] }
  | { cursor: ParquetCursor }
  | { cursor: null; dotted: readonly string[] };

/** Callbacks for the requests of the child process, and the signal that ends it early. */
export interface Unpacking {
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  take(text: string): Promise<void>;
  signal: AbortSignal;
}

const heapMebibytes = 512;
/** Limits of the child process: KiB of address space and of data, and seconds of processor time. */
const limits = { addresses: 4 * 2 ** 20, data: 1.5 * 2 ** 20, seconds: 20 };
/** Maximum duration of the child process in milliseconds. It is shorter than the lease of a job. */
const deadline = 100_000;

/**
 * Reads rows of a Parquet file as lines of NDJSON, each a record in the native format. It does so in a separate process
 * that gets none of this process's environment.
 * @throws ApiError if the file is broken or too large
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
  // Only Linux counts both. `ulimit` fails silently if a lower limit holds. When a container runs out of memory, the
  // kernel kills the child process first. Starting Node.js takes longer than reading most files, so the priority is low
  // from then on.
  const limit = [`-c 0`, `-v ${addresses}`, `-d ${data}`, `-t ${seconds}`].map((each) => `ulimit ${each} 2>/dev/null`);
  const [command, ...args] =
    process.platform === 'linux'
      ? [
          '/bin/sh',
          '-c',
          `${limit.join('; ')}; echo 1000 >/proc/self/oom_score_adj; exec $(command -v nice >/dev/null && echo nice -n 10) "$0" "$@"`,
          ...node,
        ]
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

/**
 * Sends a message. Resolves when the pipe has taken it, or if the process is gone, which has already ended the step.
 */
const send = (child: ChildProcess, message: ToParquet): Promise<void> =>
  new Promise((resolve) => {
    child.send(message, () => resolve());
  });

/** @param why what is wrong, and after a semicolon what helps; without it, the file is to be written again. */
const broken = (why: string) => {
  const advice = why.includes(';') ? '' : ' Write it again, or send it as CSV.';
  return new ApiError('VALIDATION_FAILED', `The Parquet file cannot be read: ${why}.${advice}`);
};
