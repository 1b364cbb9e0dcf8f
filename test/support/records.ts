import type { PoolClient } from 'pg';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createCommitBus } from '#common/commit-bus.js';
import { readConfig } from '#config/config.js';
import { createCallReads } from '#database/call-read.js';
import { fairQueueFor } from '#database/pool-queue.js';
import { createPool } from '#database/pools.js';
import { createReader } from '#database/reader.js';
import { transaction } from '#database/transaction.js';
import { openClusterRecords } from '#records/opensearch/cluster-store.js';
import { journalSession } from '#records/opensearch/session.js';
import { openPostgresRecords } from '#records/postgres/records.js';
import type { RecordIndex } from '#records/record-index.js';
import type { RecordLog, StoredRecords } from '#records/record-log.js';
import { recordIndexSettings, testsBlocks } from './record-index.js';

/** A record store and index for this test run. The index finds all records that the store has acknowledged. */
export interface TestRecords {
  readonly log: RecordLog & StoredRecords;
  readonly index: RecordIndex;
  /** Runs work in a transaction of the store's database. */
  transaction<T>(work: (tx: PoolClient) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Options of the store and index. Times are in milliseconds. */
export interface TestRecordsOptions {
  clock(): number;
  timeoutMs: number;
}

/** Opens a record store and index over a database. */
export const openTestRecords = async (
  databaseUrl: string,
  { clock, timeoutMs }: TestRecordsOptions,
): Promise<TestRecords> => {
  const { cluster: config, recordIndex } = readConfig(recordIndexSettings(databaseUrl));
  const silent = pino({ level: 'silent' });
  const pool = createPool(databaseUrl);
  const session = recordIndex === 'opensearch' ? journalSession : '';
  const storePool = createPool(databaseUrl, { pipeline: true, session });
  const searchPool = createPool(databaseUrl, { pipeline: true });
  const reader = createReader(databaseUrl, 30_000);
  const stored = { pool, queryPool: storePool, changes: { quick: storePool, slow: storePool }, clock };
  const place =
    recordIndex === 'opensearch'
      ? openClusterRecords({ ...stored, config: config!, log: silent, registry: new Registry() })
      : openPostgresRecords(stored);
  const log = place.openLog({
    storePool,
    pool,
    bus: createCommitBus(),
    log: silent,
    clock,
    plans: [],
  });
  const index = place.openIndex({
    pool: searchPool,
    queue: fairQueueFor(searchPool),
    reads: createCallReads(reader, searchPool),
    readPool: pool,
    checkPool: pool,
    clock,
    timeoutMs,
    blocks: testsBlocks(),
  });
  await place.start();
  return {
    log: { ...log, ...place.stored },
    index,
    transaction: (work) => transaction(storePool, work),
    async close() {
      await log.close();
      await Promise.all([index.close(), place.close(), reader.close()]);
      await Promise.all([pool.end(), storePool.end()]);
    },
  };
};
