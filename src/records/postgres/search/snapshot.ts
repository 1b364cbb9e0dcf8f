import type { Pool } from 'pg';
import { type FairQueue, type Release } from '../../../fair-queue.js';
import { TimedOut } from '../../../search/pace.js';
import { type Reader, SnapshotReader, type SnapshotReaderOptions } from './snapshot-reader.js';
import type { StatementNames } from './statement-names.js';

/** One snapshot of the database, read over one connection and, while the pool has some to spare, more. */
export interface Snapshot {
  /** Runs the work of one query; what it throws leaves the snapshot as it was. */
  run<T>(timeoutMs: number, work: (reader: Reader) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The connections of searches, and how organizations share them. */
export interface SearchConnections {
  /** Connections of their own, so that slow searches hold up nothing else. */
  readonly pool: Pool;
  readonly queue: FairQueue;
  /** Bytes of digests and sketches that one statement may answer, where it is not the usual number. */
  readonly digestBytes?: number;
  /** Names of statements that are kept prepared; none are unless given. */
  readonly statements?: StatementNames;
}

/** How a snapshot is taken. */
export interface SnapshotOptions {
  /** Whose turn it takes. */
  readonly organizationId: string;
  /** How many connections it may use at once. */
  readonly maxConnections: number;
  /** How long one query may take, where it does not ask for less, in milliseconds. */
  readonly timeoutMs: number;
  /** When the whole call ends, on the clock of `performance.now()`: after {@link callTimeouts} unless it is given. */
  readonly deadline?: number;
  /** Ends every statement when the caller is gone. */
  readonly signal?: AbortSignal | undefined;
}

/** How many times as long as one query a whole call may take, waiting for its turn included. */
export const callTimeouts = 3;

/**
 * Takes a snapshot once it is the organization's turn. A call has a deadline of its own: past it, queries that wait or run
 * throw TimedOut.
 * @throws ApiError RATE_LIMITED where too many of its calls wait; TimedOut where its turn does not come in time.
 */
export const takeSnapshot = async (
  { pool, queue, digestBytes, statements }: SearchConnections,
  { organizationId, maxConnections, timeoutMs, signal, ...given }: SnapshotOptions,
): Promise<Snapshot> => {
  const { deadline = performance.now() + callTimeouts * timeoutMs } = given;
  const turn = queue.takeFree(organizationId) ?? (await waitTurn(queue, organizationId, deadline, signal));
  const exported = maxConnections > 1 && queue.hasFree(organizationId);
  const options = {
    organizationId,
    timeoutMs,
    signal,
    ...(digestBytes !== undefined && { digestBytes }),
    ...(statements && { statements }),
  };
  const first = await openConnection(pool, turn, { ...options, exported });
  const connections = [Promise.resolve(first)];
  const idle = [first];
  const waiting: ((connection: Connection) => void)[] = [];

  const take = (): Promise<Connection> => {
    const free = idle.pop();
    if (free !== undefined) return Promise.resolve(free);
    // Another only while one is to spare: a search never waits for a connection while it holds one.
    const another = exported && connections.length < maxConnections ? queue.takeFree(organizationId) : undefined;
    if (another === undefined) return new Promise((resolve) => waiting.push(resolve));
    const opened = openConnection(pool, another, { ...options, beside: first.reader });
    connections.push(opened);
    return opened;
  };
  const giveBack = (connection: Connection) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else next(connection);
  };
  return {
    run: async (queryTimeoutMs, work) => {
      const connection = await take();
      try {
        const left = deadline - performance.now();
        if (left <= 0) throw new TimedOut();
        return await connection.reader.run(Math.min(queryTimeoutMs, left), work);
      } finally {
        giveBack(connection);
      }
    },
    close: async () => {
      const opened = await Promise.allSettled(connections);
      await Promise.all(
        opened.map(async (connection) => (connection.status === 'fulfilled' ? connection.value.close() : undefined)),
      );
    },
  };
};

const waitTurn = async (queue: FairQueue, organizationId: string, deadline: number, signal?: AbortSignal) => {
  const left = Math.ceil(deadline - performance.now());
  if (left <= 0) throw new TimedOut();
  const late = AbortSignal.timeout(left);
  try {
    return await queue.take(organizationId, signal ? AbortSignal.any([signal, late]) : late);
  } catch (error) {
    throw late.aborted && !signal?.aborted ? new TimedOut() : error;
  }
};

/** A connection, and the turn that it is used in. */
interface Connection {
  readonly reader: SnapshotReader;
  close(): Promise<void>;
}

const openConnection = async (pool: Pool, turn: Release, options: SnapshotReaderOptions): Promise<Connection> => {
  try {
    const reader = await SnapshotReader.open(pool, options);
    return { reader, close: () => reader.close().finally(turn) };
  } catch (error) {
    turn();
    throw error;
  }
};
