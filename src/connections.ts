import { availableParallelism } from 'node:os';
import { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import type { Registry } from 'prom-client';
import { ormConnections, ormOptions } from '../mikro-orm.config.js';
import type { Config } from './config.js';
import { type CallReads, createCallReads } from './database/call-read.js';
import { type FollowStatement, followPool } from './database/follow-statement.js';
import { createPool, type PoolOptions } from './database/pools.js';
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

/** Slow reads at once: more than there are processors would only take them from each other, and from everything quick. */
const slowReads = Math.min(4, Math.max(2, availableParallelism()));

/**
 * The pools of a process by their names in figures. What stands here is opened, shown by `/metrics`, counted by
 * {@link connectionsOfProcess} and closed; a pool that does not stand here cannot be opened.
 * @param follow told of each statement that requests cause
 */
const poolsOf = ({ ingestGrouping, recordIndex }: PoolSettings, follow?: FollowStatement) => {
  // Where records are on a cluster, those that were just stored are in the journal.
  const justStored = (session = '') => (recordIndex === 'opensearch' ? `${session} ${journalSession}` : session);
  const storing = { pipeline: true, priority: 'quick' as const, session: justStored(), follow };
  return {
    main: { max: 10, follow },
    slow_read: { name: 'ddp slow read', max: slowReads, pipeline: true, priority: 'slow', follow },
    // Without grouping, ten calls are under way at once, and each looks for its devices over another connection.
    store: { ...storing, name: 'ddp store', max: ingestGrouping ? 9 : 23 },
    slow_store: { ...storing, name: 'ddp slow store', max: 3, priority: 'slow' },
    search: { name: 'ddp search', max: 8, pipeline: true, follow },
    hooks: { name: 'ddp hooks', max: 4, priority: 'quick', session: dispatcherSession },
    live: { name: 'ddp live', max: 4, priority: 'quick', session: justStored(liveSession) },
    live_slow: { name: 'ddp live query', max: 4, session: justStored(liveSlowSession), priority: 'slow' },
  } satisfies Record<string, PoolOptions & { max: number }>;
};

type PoolSettings = Pick<Config, 'ingestGrouping' | 'recordIndex'>;
type PoolName = keyof ReturnType<typeof poolsOf>;

/** Beside the pools: two pipelined connections, one that listens, and a few to migrate at the start and to cancel statements. */
const singleConnections = 6;

/** How many connections one process opens at most. */
export const connectionsOfProcess = (config: PoolSettings): number =>
  Object.values(poolsOf(config)).reduce((sum, { max }) => sum + max, ormConnections + singleConnections);

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
  const pools = Object.fromEntries(
    Object.entries(poolsOf(config, follow)).map(([name, options]) => [name, createPool(connectionString, options)]),
  ) as Record<PoolName, pg.Pool>;
  return {
    orm,
    pool: pools.main,
    reader,
    accessReader,
    reads: createCallReads(reader, pools.slow_read),
    storePool: pools.store,
    slowStorePool: pools.slow_store,
    searchPool: pools.search,
    dispatcherPool: pools.hooks,
    livePool: pools.live,
    liveSlowPool: pools.live_slow,
    async observe(registry) {
      observePools(registry, { ...pools, orm: await orm.em.getConnection().getNativeClient() });
      observeReaders(registry, { read: reader, access: accessReader });
    },
    async close() {
      const { search: _, ...others } = pools;
      const ended = Object.values(others).map((each) => each.end());
      await Promise.all([reader.close(), accessReader.close(), orm.close(), ...ended]);
    },
  };
}
