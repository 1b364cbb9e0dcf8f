import type { Pool } from 'pg';
import type { ReadServer, ReadServers } from '#database/standby/read-servers.js';
import type { StatementNames } from '#records/postgres/search/statement-names.js';
import { type FairQueue, type Release } from '#scheduling/fair-queue.js';
import { TimedOut } from '#search/pace.js';
import { type QueryReader, SnapshotReader, type SnapshotReaderOptions } from './snapshot-reader.js';

/** One snapshot of the database, read over one connection, and over more while the pool has free ones. */
export interface CallSnapshot {
  /** Runs the work of one query; the snapshot stays usable if the work throws. */
  run<T>(timeoutMs: number, work: (reader: QueryReader) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Connections for searches, and the queue that shares them among organizations. */
export interface SearchConnections {
  /** A separate pool, so that slow searches delay nothing else. */
  readonly pool: Pool;
  readonly queue: FairQueue;
  /** Standbys that answer instead of `pool`, if there are any. */
  readonly standbys?: Pick<ReadServers, 'run'>;
  /**
   * Maximum bytes of digests and sketches that one statement may return; {@link SnapshotReaderOptions} has the default.
   */
  readonly digestBytes?: number;
  /** Names of prepared statements; without it, none are prepared. */
  readonly statements?: StatementNames;
}

export interface SnapshotOptions {
  /** Organization whose queue slots the snapshot takes. */
  readonly organizationId: string;
  /** Maximum number of connections used at the same time. */
  readonly maxConnections: number;
  /** Maximum duration of one query in milliseconds; a query may ask for less. */
  readonly timeoutMs: number;
  /**
   * End of the whole call, in milliseconds of `performance.now()`; by default {@link callTimeouts} times `timeoutMs`
   * from now.
   */
  readonly deadline?: number;
  /** Cancels every statement when the caller disconnects. */
  readonly signal?: AbortSignal | undefined;
}

/** Maximum duration of a whole call, including its wait in the queue, as a multiple of `timeoutMs`. */
export const callTimeouts = 3;

/** Does work over the connections of a standby that has everything up to a position, or of the primary. */
export const onServer = <Connections extends SearchConnections, Result>(
  primary: Connections,
  position: string | undefined,
  work: (connections: Connections) => Promise<Result>,
): Promise<Result> => {
  if (primary.standbys === undefined) return work(primary);
  const onStandby = ({ pool, queue }: ReadServer) => work({ ...primary, pool, queue });
  return primary.standbys.run(position, onStandby, () => work(primary));
};

/**
 * Takes a snapshot once the organization gets a slot in the queue. A call has its own deadline: after it, queries that
 * wait or run throw TimedOut.
 * @throws ApiError RATE_LIMITED if too many calls of the organization wait; TimedOut if no slot becomes free in time.
 */
export const takeSnapshot = async (
  { pool, queue, digestBytes, statements }: SearchConnections,
  { organizationId, maxConnections, timeoutMs, signal, ...given }: SnapshotOptions,
): Promise<CallSnapshot> => {
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
    // Takes another connection only if one is free: a search that holds a connection never waits for a second one.
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

/** A connection, and the queue slot it uses. */
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
