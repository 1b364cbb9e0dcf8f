import { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import type { Registry } from 'prom-client';
import type { Log } from '#common/log.js';
import type { Config } from '#config/config.js';
import { type CallReads, createCallReads } from '#database/call-read.js';
import { type FollowStatement, followPool } from '#database/follow-statement.js';
import { type PoolName, poolSizesFor } from '#database/pool-size.js';
import { createPool, type PoolOptions } from '#database/pools.js';
import { createReader, type Reader } from '#database/reader.js';
import { createReadServers, primaryOnly, type ReadServers } from '#database/standby/read-servers.js';
import { dispatcherSession } from '#hooks/hooks.js';
import { liveSession, liveSlowSession } from '#live/live.js';
import { journalSession } from '#records/opensearch/session.js';
import { ormOptions } from '../../mikro-orm.config.js';
import { observePools, observeReaders } from './metrics.js';
import { observeStandbys } from './standby-metrics.js';

/** Database connections of a process: a pool for each kind of work, so that one kind does not delay another. */
export interface Connections {
  orm: MikroORM;
  /** For transactions, and for reads that may be slow. */
  pool: pg.Pool;
  reader: Reader;
  /** For authentication and readiness only. No tenant's request can delay it. */
  accessReader: Reader;
  /** Reads of calls. */
  reads: CallReads;
  /** Standbys that answer reads. */
  standbys: ReadServers;
  /** For transactions that store records. */
  storePool: pg.Pool;
  /** For the same transactions of organizations whose hooks make them slow. */
  slowStorePool: pg.Pool;
  /** For searches. The record index closes it. */
  searchPool: pg.Pool;
  /** For claiming and settling deliveries. */
  dispatcherPool: pg.Pool;
  /** `livePool`: for live data. `liveSlowPool`: for queries of subscriptions. */
  livePool: pg.Pool;
  liveSlowPool: pg.Pool;
  /** Registers metrics of the connections. */
  observe(registry: Registry): Promise<void>;
  close(): Promise<void>;
}

/**
 * Limit of a read on the pipelined connection, in milliseconds. A longer read would delay all others, so it is repeated
 * on another connection.
 */
const quickReadLimit = 1000;
const accessReadLimit = 5000;

/**
 * Returns the statement timeout. PostgreSQL cancels a call's statement, even one that waits for a lock, shortly before
 * the request's timeout, so that the caller learns that nothing was changed.
 */
const statementLimit = (requestTimeout: number) => Math.ceil(requestTimeout * 0.9);

/**
 * Returns the pools of a process by their names in metrics. A pool that is listed here is opened, shown by `/metrics`
 * and closed. A pool that is not listed cannot be opened.
 * @param follow called with each statement that requests cause.
 */
const poolsOf = (
  { recordIndex, databaseConnections }: Pick<Config, 'recordIndex' | 'databaseConnections'>,
  follow?: FollowStatement,
) => {
  const sizes = poolSizesFor(databaseConnections);
  // When a cluster answers searches, the journal has the records that were stored most recently.
  const justStored = (session = '') => (recordIndex === 'opensearch' ? `${session} ${journalSession}` : session);
  const storing = { pipeline: true, priority: 'quick' as const, session: justStored(), follow };
  return {
    main: { max: sizes.main, follow },
    slow_read: { name: 'ddp slow read', max: sizes.slow_read, pipeline: true, priority: 'slow', follow },
    store: { ...storing, name: 'ddp store', max: sizes.store },
    slow_store: { ...storing, name: 'ddp slow store', max: sizes.slow_store, priority: 'slow' },
    search: { name: 'ddp search', max: sizes.search, pipeline: true, follow },
    hooks: { name: 'ddp hooks', max: sizes.hooks, priority: 'quick', session: dispatcherSession },
    live: { name: 'ddp live', max: sizes.live, priority: 'quick', session: justStored(liveSession) },
    live_slow: {
      name: 'ddp live query',
      max: sizes.live_slow,
      session: justStored(liveSlowSession),
      priority: 'slow',
    },
  } satisfies Record<Exclude<PoolName, 'orm'>, PoolOptions>;
};

/** Maximum time for a connection to a standby to open, in milliseconds: the primary answers after it. */
const standbyTimeout = 1000;

/**
 * Opens the pools of the standbys, each as large as the primary's. The connections of a process are counted without them.
 */
const openStandbys = (
  config: Config,
  readPrimary: Reader['read'],
  { log, follow }: ConnectionsOptions,
): { servers: ReadServers; pools: Record<string, pg.Pool> } => {
  const { databaseReadUrls } = config;
  if (databaseReadUrls.length === 0) return { servers: primaryOnly, pools: {} };
  const { search, slow_read: slowRead } = poolsOf(config, follow);
  const limits = { connectTimeout: standbyTimeout };
  const standbys = databaseReadUrls.map((connectionString) => ({
    connectionString,
    searchPool: createPool(connectionString, { ...search, ...limits }),
    slowPool: createPool(connectionString, { ...slowRead, ...limits }),
  }));
  const pools = standbys.flatMap(({ searchPool, slowPool }, index): [string, pg.Pool][] => [
    [`standby_${index + 1}_search`, searchPool],
    [`standby_${index + 1}_slow_read`, slowPool],
  ]);
  return { servers: createReadServers({ standbys, readPrimary, log }), pools: Object.fromEntries(pools) };
};

export interface ConnectionsOptions {
  readonly log: Log;
  /** Called with each statement that requests cause. */
  readonly follow?: FollowStatement | undefined;
}

/** Opens the connections; most are established at their first use. */
export async function openConnections(
  config: Config,
  connectionString: string,
  options: ConnectionsOptions,
): Promise<Connections> {
  const { follow } = options;
  const limit = statementLimit(config.graph.timeout);
  const orm = await MikroORM.init(
    ormOptions(connectionString, `-c statement_timeout=${limit}`, poolSizesFor(config.databaseConnections).orm),
  );
  const reader = createReader(connectionString, Math.min(limit, quickReadLimit), follow);
  const accessReader = createReader(connectionString, Math.min(limit, accessReadLimit), follow);
  if (follow) followPool(await orm.em.getConnection().getNativeClient(), follow);
  const pools = Object.fromEntries(
    Object.entries(poolsOf(config, follow)).map(([name, options]) => [name, createPool(connectionString, options)]),
  ) as Record<keyof ReturnType<typeof poolsOf>, pg.Pool>;
  const standby = openStandbys(config, accessReader.read, options);
  standby.servers.start();
  return {
    orm,
    pool: pools.main,
    reader,
    accessReader,
    reads: createCallReads(reader, pools.slow_read, standby.servers),
    standbys: standby.servers,
    storePool: pools.store,
    slowStorePool: pools.slow_store,
    searchPool: pools.search,
    dispatcherPool: pools.hooks,
    livePool: pools.live,
    liveSlowPool: pools.live_slow,
    async observe(registry) {
      observeStandbys(registry, standby.servers);
      observePools(registry, { ...pools, ...standby.pools, orm: await orm.em.getConnection().getNativeClient() });
      observeReaders(registry, { read: reader, access: accessReader });
    },
    async close() {
      const { search: _, ...others } = pools;
      const ended = Object.values(others).map((each) => each.end());
      await standby.servers.close();
      await Promise.all([reader.close(), accessReader.close(), orm.close(), ...ended]);
    },
  };
}
