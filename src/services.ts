import { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { Registry } from 'prom-client';
import type { Sql } from 'sql-template-tag';
import { ormOptions } from '../mikro-orm.config.js';
import { createRecheck } from './auth/recheck.js';
import type { Config } from './config.js';
import { type CallReads, createCallReads } from './database/call-read.js';
import { isConnectionLoss } from './database/loss.js';
import { createPool } from './database/pools.js';
import { createReader, type Reader } from './database/reader.js';
import { fairQueueFor } from './fair-queue.js';
import { createHooks, dispatcherSession, type Hooks } from './hooks/hooks.js';
import { createJobs, type Jobs } from './jobs/jobs.js';
import { createLive, type Live, liveSession, liveSlowSession } from './live/live.js';
import type { Log } from './log.js';
import {
  createGroupMetrics,
  measureIndex,
  measureLog,
  observePools,
  observeProcess,
  observeReaders,
} from './metrics.js';
import { prepareDatabase } from './prepare.js';
import { createRecordLog, storedRecords } from './records/postgres/log/log.js';
import { createRecordIndex } from './records/postgres/search/record-index.js';
import type { RecordIndex } from './records/record-index.js';
import type { RecordLog } from './records/record-log.js';
import { deliveryRows } from './resolvers/deliveries.js';
import { changeDevices } from './resolvers/device-batch-job.js';

/** What the services are opened with. */
export interface ServicesOptions {
  config: Config;
  /** The database, embedded or not. */
  connectionString: string;
  /** Keys for stored secrets, the newest first. */
  secretKeys: readonly string[];
  log: Log;
  /** Milliseconds since the epoch. */
  clock?: () => number;
  /** A number from 0 to less than 1. */
  random?: () => number;
}

/** The connected services over one database. */
export interface Services {
  orm: MikroORM;
  /** For transactions, and reads that may take their time. */
  pool: pg.Pool;
  reader: Reader;
  /** What calls read with. */
  reads: CallReads;
  /** For authentication and readiness alone, which nothing that a tenant asks for may hold up. */
  accessReader: Reader;
  hooks: Hooks;
  /** Figures for Prometheus. */
  registry: Registry;
  records: RecordLog;
  index: RecordIndex;
  jobs: Jobs;
  live: Live;
  /** Milliseconds since the epoch. */
  clock: () => number;
  /** Finishes what is under way within so many milliseconds and lets go of the database. */
  close(within: number): Promise<void>;
}

/** A read on the pipelined connection that takes longer holds up all others, and is made elsewhere. Milliseconds. */
const quickReadLimit = 1000;
const accessReadLimit = 5000;

/**
 * PostgreSQL cancels a call's statement, one that waits for a lock as well, a little before the time of a request is
 * over: so the caller learns that it did not happen.
 */
const statementLimit = (requestTimeout: number) => Math.ceil(requestTimeout * 0.9);

/** The query of a subscription may take so long over what was just stored, in milliseconds; then it is told as missed. */
const liveQueryTimeout = 500;

/** Migrates the database, opens every service and connects them: what is stored goes out to hooks in the same commit. */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { config, connectionString, secretKeys, log, clock = Date.now, random = Math.random } = options;
  await prepareDatabase(connectionString, log);
  const limit = statementLimit(config.graph.timeout);
  const orm = await MikroORM.init(ormOptions(connectionString, `-c statement_timeout=${limit}`));
  const reader = createReader(connectionString, Math.min(limit, quickReadLimit));
  const accessReader = createReader(connectionString, Math.min(limit, accessReadLimit));
  const slowPool = createPool(connectionString, { name: 'ddp slow read', max: 4, pipeline: true });
  const reads = createCallReads(reader, slowPool);
  const pool = createPool(connectionString);
  // Without grouping, ten calls are under way at once, and each looks for its devices over another connection.
  const storePool = createPool(connectionString, {
    name: 'ddp store',
    max: config.ingestGrouping ? 9 : 23,
    pipeline: true,
  });
  const searchPool = createPool(connectionString, { name: 'ddp search', max: 8, pipeline: true });
  const searchQueue = fairQueueFor(searchPool);
  const dispatcherPool = createPool(connectionString, { name: 'ddp hooks', max: 4, session: dispatcherSession });
  const livePool = createPool(connectionString, { name: 'ddp live', max: 4, session: liveSession });
  const liveSlowPool = createPool(connectionString, { name: 'ddp live query', max: 4, session: liveSlowSession });
  const live = createLive({
    pool: livePool,
    slowPool: liveSlowPool,
    connectionString,
    log,
    recheck: createRecheck(
      async <Row extends object>(query: Sql) => (await livePool.query<object>(query)).rows as Row[],
    ),
    match: (query, organizationId, committed) => {
      const some = committed.map(({ id, ts, deviceId, productId }) => ({
        id,
        ts,
        device: { id: deviceId, organizationId, ...(productId && { product: { id: productId } }) },
      }));
      return records.matchCommitted(query, some, liveQueryTimeout);
    },
    changes: (question) => records.changes(question),
    deliveryRows,
  });
  const { allowCidrs, denyCidrs, retrySchedule, timeout, httpsOnly, deliveryRetention } = config.hooks;
  const registry = new Registry();
  const hooks = createHooks({
    pool,
    dispatcherPool,
    clock,
    random,
    log,
    secretKeys,
    schedule: retrySchedule,
    timeout,
    addresses: { allow: allowCidrs, deny: denyCidrs },
    httpsOnly,
    retention: deliveryRetention,
    match: storedRecords.match,
    lookups: config.hooks.lookups,
    scan: storedRecords.scan,
    count: storedRecords.count,
    registry,
    onChange: live.changed,
  });
  const recordLog = createRecordLog({
    storePool,
    pool,
    queryPool: liveSlowPool,
    changes: { quick: livePool, slow: liveSlowPool },
    log,
    grouping: config.ingestGrouping,
    clock,
    alongside: hooks.alongside,
    committed: (stored) => live.stored(() => stored.map(({ id }) => id)),
    grouped: createGroupMetrics(registry),
  });
  const records = measureLog(recordLog, registry);
  const recordIndex = createRecordIndex({
    pool: searchPool,
    queue: searchQueue,
    reads,
    readPool: pool,
    checkPool: liveSlowPool,
    clock,
    timeoutMs: config.search.timeout,
    rollups: config.search.rollups,
  });
  const index = measureIndex(recordIndex, registry, () => searchQueue.waiting);

  const jobs = createJobs({
    pool,
    clock,
    log,
    kinds: {
      redecode: storedRecords.redecode,
      redeliver: hooks.steps.redeliver,
      replay: hooks.steps.replay,
      tagDevices: changeDevices,
      untagDevices: changeDevices,
      linkDevices: changeDevices,
      unlinkDevices: changeDevices,
      deleteDevices: changeDevices,
    },
    isConnectionLoss,
  });
  observePools(registry, {
    main: pool,
    orm: await orm.em.getConnection().getNativeClient(),
    slow_read: slowPool,
    store: storePool,
    search: searchPool,
    hooks: dispatcherPool,
    live: livePool,
  });
  observeReaders(registry, { read: reader, access: accessReader });
  observeProcess(registry);
  await hooks.start();
  records.maintain();
  jobs.start();
  live.start();
  return {
    orm,
    pool,
    reader,
    reads,
    accessReader,
    hooks,
    registry,
    records,
    index,
    jobs,
    live,
    clock,
    async close(within) {
      await Promise.all([records.close(), jobs.close()]);
      await hooks.close(within);
      await live.close();
      await Promise.all([
        reader.close(),
        accessReader.close(),
        slowPool.end(),
        pool.end(),
        storePool.end(),
        index.close(),
        dispatcherPool.end(),
        livePool.end(),
        liveSlowPool.end(),
        orm.close(),
      ]);
    },
  };
}
