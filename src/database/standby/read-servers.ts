import pg from 'pg';
import type { Log } from '#common/log.js';
import type { FairQueue } from '#scheduling/fair-queue.js';
import { createPeriodicTasks } from '#scheduling/periodic-tasks.js';
import { type BoundedRead, createBoundedRead } from '../bounded-read.js';
import { isConnectionLoss } from '../connection-loss.js';
import { fairQueueFor } from '../pool-queue.js';
import type { WeighedRead } from '../reader.js';
import { positionOf, type WalPosition } from './position.js';
import { Standby } from './standby.js';
import { type PrimaryRow, primaryQuery } from './standby-connection.js';

/** Connections of a standby for reads that may be slow, shared fairly by organizations. */
export interface ReadServer {
  readonly pool: pg.Pool;
  readonly queue: FairQueue;
  readonly readBounded: BoundedRead;
}

/** The standbys that answer reads, beside the primary. */
export interface ReadServers {
  /**
   * Reads on a standby that has everything up to a position, or on the primary if none has it in time. A read that
   * fails because of the standby is repeated on the primary.
   * @param position undefined: the primary reads
   */
  run<Result>(
    position: string | undefined,
    onStandby: (server: ReadServer) => Promise<Result>,
    onPrimary: () => Promise<Result>,
  ): Promise<Result>;
  figures(): ReadFigures;
  start(): void;
  close(): Promise<void>;
}

/** Figures of reads since the start. */
export interface ReadFigures {
  /** Reads of the primary that a standby could have answered. */
  readonly primary: number;
  readonly standbys: readonly {
    readonly name: string;
    readonly isReady: boolean;
    /** Lag in seconds. */
    readonly lag: number;
    readonly reads: number;
    /** Reads that failed there and were repeated on the primary. */
    readonly repeated: number;
    /** Reads that wait for a connection. */
    readonly waiting: number;
  }[];
}

/** The service without standbys. */
export const primaryOnly: ReadServers = {
  run: (_position, _onStandby, onPrimary) => onPrimary(),
  figures: () => ({ primary: 0, standbys: [] }),
  start: () => undefined,
  close: () => Promise.resolve(),
};

/** Time between two examinations of a standby, in milliseconds. */
const interval = 500;
/** Minimum time between two log lines that the primary does not answer, in milliseconds. */
const warnEvery = 60_000;

/** Addresses and pools of the standbys. */
export interface ReadServersOptions {
  readonly standbys: readonly {
    readonly connectionString: string;
    readonly searchPool: pg.Pool;
    readonly slowPool: pg.Pool;
  }[];
  /** Reads on the primary. */
  readonly readPrimary: WeighedRead;
  readonly log: Log;
}

/** Creates the reads over standbys. */
export const createReadServers = ({ standbys: given, readPrimary, log }: ReadServersOptions): ReadServers => {
  const members = given.map(({ connectionString, searchPool, slowPool }) => ({
    standby: new Standby({ connectionString, pools: [searchPool, slowPool], log }),
    server: { pool: searchPool, queue: fairQueueFor(searchPool), readBounded: createBoundedRead(slowPool) },
    reads: 0,
    repeated: 0,
  }));
  let primary = 0;
  const choose = async (position: WalPosition) => {
    const ready = members.filter(({ standby }) => standby.isReady);
    const [first, ...others] = ready.filter(({ standby }) => standby.has(position));
    if (first) return others.reduce((best, each) => (each.standby.reads < best.standby.reads ? each : best), first);
    const reached = ready.map(async (each) => {
      if (!(await each.standby.reach(position))) throw new Error('It lags.');
      return each;
    });
    return Promise.any(reached).catch(() => undefined);
  };
  let warnedAt = Number.NEGATIVE_INFINITY;
  const askPrimary = async (): Promise<PrimaryRow | undefined> => {
    try {
      return (await readPrimary<PrimaryRow>(primaryQuery))[0];
    } catch (error) {
      const now = performance.now();
      if (now - warnedAt > warnEvery) {
        warnedAt = now;
        log.warn({ err: error }, 'The standbys are not examined, because the primary does not answer.');
      }
      return undefined;
    }
  };
  const examine = async (standby: Standby) => {
    const row = await askPrimary();
    if (row?.position) await standby.examine(row, positionOf(row.position));
  };
  const tasks = createPeriodicTasks(
    Object.fromEntries(
      members.map(({ standby }) => [standby.name, { every: interval, atStart: true, run: () => examine(standby) }]),
    ),
    { log, failed: 'The standby was not examined.' },
  );
  return {
    async run(position, onStandby, onPrimary) {
      const member = position === undefined ? undefined : await choose(positionOf(position));
      if (member === undefined) {
        if (position !== undefined) primary += 1;
        return onPrimary();
      }
      const { standby, server } = member;
      member.reads += 1;
      standby.reads += 1;
      const { departures } = standby;
      try {
        const result = await onStandby(server);
        // A read that waited for a connection may have got one to a server that was promoted meanwhile.
        if (standby.departures === departures) return result;
      } catch (error) {
        if (!isOfServer(error)) throw error;
        if (isConnectionLoss(error)) standby.doubt();
      } finally {
        standby.reads -= 1;
      }
      member.repeated += 1;
      return onPrimary();
    },
    figures: () => ({
      primary,
      standbys: members.map(({ standby, server, reads, repeated }) => ({
        name: standby.name,
        isReady: standby.isReady,
        lag: standby.lag(),
        reads,
        repeated,
        waiting: server.queue.waiting,
      })),
    }),
    start: tasks.start,
    async close() {
      await tasks.close();
      for (const { standby } of members) standby.close();
      await Promise.all(given.flatMap(({ searchPool, slowPool }) => [searchPool.end(), slowPool.end()]));
    },
  };
};

/**
 * Whether a read may succeed on the primary: the standby broke off, cancelled it because of a conflict with recovery
 * (40001, 40P01), or has a plan or schema of a moment before. A statement that took too long (57014), or that refused a
 * value (class 22), would fail there as well.
 */
const isOfServer = (error: unknown): boolean => {
  if (isConnectionLoss(error)) return true;
  return error instanceof pg.DatabaseError && error.code !== '57014' && !error.code?.startsWith('22');
};
