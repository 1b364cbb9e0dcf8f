import { availableParallelism } from 'node:os';
import { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import type { Registry } from 'prom-client';
import { ormOptions } from '../mikro-orm.config.js';
import type { Config } from './config.js';
import { type CallReads, createCallReads } from './database/call-read.js';
import { type FollowStatement, followPool } from './database/follow-statement.js';
import { createPool } from './database/pools.js';
import { createReader, type Reader } from './database/reader.js';
import { dispatcherSession } from './hooks/hooks.js';
import { liveSession, liveSlowSession } from './live/live.js';
import { observePools, observeReaders } from './metrics.js';
import { journalSession } from './records/opensearch/session.js';

/** The connections of a process to its database: a pool for each kind of work, so that none holds up another. */
export interface Connections {
  orm: MikroORM;
  /** For transactions, and reads that may take their time. */
  pool: pg.Pool;
  reader: Reader;
  /** For authentication and readiness alone, which nothing that a tenant asks for may hold up. */
  accessReader: Reader;
  /** What calls read with. */
  reads: CallReads;
  /** For transactions that store records. */
  storePool: pg.Pool;
  /** For those of organizations whose hooks make them long. */
  slowStorePool: pg.Pool;
  /** For searches; the index of records closes it. */
  searchPool: pg.Pool;
  /** For claims and settling of deliveries. */
  dispatcherPool: pg.Pool;
  /** For live data, and for queries of subscriptions. */
  livePool: pg.Pool;
  liveSlowPool: pg.Pool;
  /** Registers their figures. */
  observe(registry: Registry): Promise<void>;
  close(): Promise<void>;
}

/** A read on the pipelined connection that takes longer holds up all others, and is made elsewhere. Milliseconds. */
const quickReadLimit = 1000;
const accessReadLimit = 5000;

/**
 * PostgreSQL cancels a call's statement, one that waits for a lock as well, a little before the time of a request is
 * over: so the caller learns that it did not happen.
 */
const statementLimit = (requestTimeout: number) => Math.ceil(requestTimeout * 0.9);

/** Connections of the pools at most, by what they are for. */
const sizes = {
  main: 10,
  orm: 10,
  store: 9,
  storeUngrouped: 23,
  slowStore: 3,
  search: 8,
  hooks: 4,
  live: 4,
  liveSlow: 4,
};

/** Slow reads at once: more than there are processors would only take them from each other, and from everything quick. */
const slowReads = Math.min(4, Math.max(2, availableParallelism()));

/** Beside the pools: two pipelined connections, one that listens, and a few to migrate at the start and to cancel statements. */
const singleConnections = 6;

/** How many connections one process opens at most. */
export const connectionsOfProcess = ({ ingestGrouping }: Pick<Config, 'ingestGrouping'>): number => {
  const { store, storeUngrouped, ...others } = sizes;
  const pools = Object.values(others).reduce((sum, size) => sum + size, ingestGrouping ? store : storeUngrouped);
  return pools + slowReads + singleConnections;
};

/**
 * Opens the connections; most are made when they are first used.
 * @param follow told of each statement that requests cause
 */
export async function openConnections(
  config: Config,
  connectionString: string,
  follow?: FollowStatement,
): Promise<Connections> {
  const limit = statementLimit(config.graph.timeout);
  const orm = await MikroORM.init(ormOptions(connectionString, `-c statement_timeout=${limit}`));
  const reader = createReader(connectionString, Math.min(limit, quickReadLimit), follow);
  const accessReader = createReader(connectionString, Math.min(limit, accessReadLimit), follow);
  if (follow) followPool(await orm.em.getConnection().getNativeClient(), follow);
  const open = (options?: Parameters<typeof createPool>[1]) => createPool(connectionString, options);
  // Where records are on a cluster, those that were just stored are in the journal.
  const justStored = (session = '') => (config.recordIndex === 'opensearch' ? `${session} ${journalSession}` : session);
  const slowPool = open({ name: 'ddp slow read', max: slowReads, pipeline: true, slow: true, follow });
  const pool = open({ max: sizes.main, follow });
  // Without grouping, ten calls are under way at once, and each looks for its devices over another connection.
  const max = config.ingestGrouping ? sizes.store : sizes.storeUngrouped;
  const storePool = open({ name: 'ddp store', max, pipeline: true, session: justStored(), follow });
  const slowStorePool = open({
    name: 'ddp slow store',
    max: sizes.slowStore,
    pipeline: true,
    session: justStored(),
    slow: true,
    follow,
  });
  const searchPool = open({ name: 'ddp search', max: sizes.search, pipeline: true, follow });
  const dispatcherPool = open({ name: 'ddp hooks', max: sizes.hooks, session: dispatcherSession });
  const livePool = open({ name: 'ddp live', max: sizes.live, session: justStored(liveSession) });
  const liveSlowPool = open({
    name: 'ddp live query',
    max: sizes.liveSlow,
    session: justStored(liveSlowSession),
    slow: true,
  });
  return {
    orm,
    pool,
    reader,
    accessReader,
    reads: createCallReads(reader, slowPool),
    storePool,
    slowStorePool,
    searchPool,
    dispatcherPool,
    livePool,
    liveSlowPool,
    async observe(registry) {
      observePools(registry, {
        main: pool,
        orm: await orm.em.getConnection().getNativeClient(),
        slow_read: slowPool,
        store: storePool,
        slow_store: slowStorePool,
        search: searchPool,
        hooks: dispatcherPool,
        live: livePool,
      });
      observeReaders(registry, { read: reader, access: accessReader });
    },
    async close() {
      const pools = [slowPool, pool, storePool, slowStorePool, dispatcherPool, livePool, liveSlowPool];
      await Promise.all([reader.close(), accessReader.close(), orm.close(), ...pools.map((each) => each.end())]);
    },
  };
}
