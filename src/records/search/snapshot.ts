import type { Pool } from 'pg';
import { Lane, type Reader } from './lane.js';

/** One moment of the database, looked at over one connection and, while the pool has some to spare, more. */
export interface Snapshot {
  /** Runs the work of one query; what it throws leaves the snapshot as it was. */
  run<T>(timeoutMs: number, work: (reader: Reader) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** How a snapshot is taken. */
export interface SnapshotOptions {
  /** How many connections it may use at once. */
  readonly most: number;
  /** How long one query may take, where it does not ask for less, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends every statement when the caller is gone. */
  readonly signal?: AbortSignal | undefined;
}

/** Takes a snapshot. */
export const takeSnapshot = async (pool: Pool, { most, timeoutMs, signal }: SnapshotOptions): Promise<Snapshot> => {
  signal?.throwIfAborted();
  const hasSpare = () => pool.waitingCount === 0 && (pool.idleCount > 0 || pool.totalCount < pool.options.max);
  const first = await Lane.open(pool, { timeoutMs, signal, exported: most > 1 && hasSpare() });
  const lanes = [Promise.resolve(first)];
  const idle = [first];
  const waiting: ((lane: Lane) => void)[] = [];

  /** Another lane only while the pool can spare one: a search never waits for a connection while it holds one. */
  const spare = () => first.name !== undefined && lanes.length < most && hasSpare();
  const take = (): Promise<Lane> => {
    const free = idle.pop();
    if (free !== undefined) return Promise.resolve(free);
    if (!spare()) return new Promise((resolve) => waiting.push(resolve));
    const opened = Lane.open(pool, { timeoutMs, signal, snapshot: first.name });
    lanes.push(opened);
    return opened;
  };
  const giveBack = (lane: Lane) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(lane);
    else next(lane);
  };
  return {
    run: async (timeoutMs, work) => {
      const lane = await take();
      try {
        return await lane.run(timeoutMs, work);
      } finally {
        giveBack(lane);
      }
    },
    close: async () => {
      const opened = await Promise.allSettled(lanes);
      await Promise.all(opened.map(async (lane) => (lane.status === 'fulfilled' ? lane.value.close() : undefined)));
    },
  };
};
