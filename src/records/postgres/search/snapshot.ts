import type { Pool } from 'pg';
import { type FairQueue, type Release } from '../../../fair-queue.js';
import { TimedOut } from '../../../search/pace.js';
import { type Reader, SnapshotReader, type SnapshotReaderOptions } from './snapshot-reader.js';

/** One moment of the database, looked at over one connection and, while the pool has some to spare, more. */
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
}

/** How a snapshot is taken. */
export interface SnapshotOptions {
  /** Whose turn it takes. */
  readonly organizationId: string;
  /** How many connections it may use at once. */
  readonly most: number;
  /** How long one query may take, where it does not ask for less, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends every statement when the caller is gone. */
  readonly signal?: AbortSignal | undefined;
}

/** How many times as long as one query a whole call may take, waiting for its turn included. */
const callTimeouts = 3;

/**
 * Takes a snapshot once it is the organization's turn. A call has a deadline of its own: past it, queries that wait or run
 * throw TimedOut.
 * @throws ApiError RATE_LIMITED where too many of its calls wait; TimedOut where its turn does not come in time.
 */
export const takeSnapshot = async (
  { pool, queue }: SearchConnections,
  { organizationId, most, timeoutMs, signal }: SnapshotOptions,
): Promise<Snapshot> => {
  const deadline = performance.now() + callTimeouts * timeoutMs;
  const turn =
    queue.takeFree(organizationId) ?? (await waitTurn(queue, organizationId, callTimeouts * timeoutMs, signal));
  const exported = most > 1 && queue.hasFree(organizationId);
  const first = await openSeat(pool, turn, { organizationId, timeoutMs, signal, exported });
  const seats = [Promise.resolve(first)];
  const idle = [first];
  const waiting: ((seat: Seat) => void)[] = [];

  const take = (): Promise<Seat> => {
    const free = idle.pop();
    if (free !== undefined) return Promise.resolve(free);
    // Another only while one is to spare: a search never waits for a connection while it holds one.
    const another = exported && seats.length < most ? queue.takeFree(organizationId) : undefined;
    if (another === undefined) return new Promise((resolve) => waiting.push(resolve));
    const opened = openSeat(pool, another, { organizationId, timeoutMs, signal, beside: first.lane });
    seats.push(opened);
    return opened;
  };
  const giveBack = (seat: Seat) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(seat);
    else next(seat);
  };
  return {
    run: async (queryTimeoutMs, work) => {
      const seat = await take();
      try {
        const left = deadline - performance.now();
        if (left <= 0) throw new TimedOut();
        return await seat.lane.run(Math.min(queryTimeoutMs, left), work);
      } finally {
        giveBack(seat);
      }
    },
    close: async () => {
      const opened = await Promise.allSettled(seats);
      await Promise.all(opened.map(async (seat) => (seat.status === 'fulfilled' ? seat.value.close() : undefined)));
    },
  };
};

const waitTurn = async (queue: FairQueue, organizationId: string, milliseconds: number, signal?: AbortSignal) => {
  const late = AbortSignal.timeout(milliseconds);
  try {
    return await queue.take(organizationId, signal ? AbortSignal.any([signal, late]) : late);
  } catch (error) {
    throw late.aborted && !signal?.aborted ? new TimedOut() : error;
  }
};

/** A connection, and the turn that it is used in. */
interface Seat {
  readonly lane: SnapshotReader;
  close(): Promise<void>;
}

const openSeat = async (pool: Pool, turn: Release, options: SnapshotReaderOptions): Promise<Seat> => {
  try {
    const lane = await SnapshotReader.open(pool, options);
    return { lane, close: () => lane.close().finally(turn) };
  } catch (error) {
    turn();
    throw error;
  }
};
