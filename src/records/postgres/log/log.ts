import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { RecordLog, StoredRecords } from '#records/record-log.js';
import { decideRecords, decideStored, matchRecords, matchStored } from '../search/match.js';
import type { Purge } from '../upkeep/purge.js';
import { createUpkeep } from '../upkeep/upkeep.js';
import { ActivityCounter } from './activity.js';
import { type ChangesConnections, readChanges } from './changes.js';
import { newestBefore } from './newest.js';
import { redecode } from './redecode.js';
import { countOrganization, countRecords, scanRecords } from './scan.js';
import { createRecordStore, type RecordStoreOptions } from './store.js';

/** Settings of the record store. */
export interface RecordLogOptions extends Omit<RecordStoreOptions, 'pool' | 'activity'> {
  /** For transactions that store records; at least eight connections. */
  storePool: Pool;
  /** For transactions of organizations whose hooks make them long. */
  slowStorePool?: Pool;
  /** For the upkeep. */
  pool: Pool;
  log: Logger;
  /** Called before a call is accepted; throws to refuse it. */
  admit?(): void;
  /** Deletes a device's records that are kept elsewhere too. */
  purge?: Purge;
  /** Copies records that other processes still store elsewhere. */
  follow?: () => Promise<unknown>;
}

/** Connections over which stored records are read outside of the caller's transaction. */
export interface StoredRecordsOptions {
  /** For counting stored records. */
  pool: Pool;
  /** For queries over committed records. */
  queryPool: Pool;
  /** For reading committed records. */
  changes: ChangesConnections;
  clock: () => number;
}

/** Opens the records that PostgreSQL stores. */
export const openStoredRecords = ({ pool, queryPool, changes, clock }: StoredRecordsOptions): StoredRecords => ({
  match: matchRecords,
  matchCommitted: (queries, records, timeoutMs) =>
    matchStored(queryPool, queries, records, { now: clock(), timeoutMs }),
  decide: decideRecords,
  decideCommitted: (queries, records, timeoutMs) =>
    decideStored(queryPool, queries, records, { now: clock(), timeoutMs }),
  newestBefore,
  scan: scanRecords,
  count: countRecords,
  countAll: (organizationId) => countOrganization(pool, organizationId),
  redecode,
  changes: readChanges(changes),
});

/** Creates the record store over PostgreSQL. */
export const createRecordLog = ({
  storePool,
  slowStorePool = storePool,
  pool,
  log,
  admit,
  purge,
  follow,
  ...options
}: RecordLogOptions): RecordLog => {
  const { clock } = options;
  const activity = new ActivityCounter();
  const store = createRecordStore({ pool: storePool, slowPool: slowStorePool, activity, ...options });
  const upkeep = createUpkeep({ pool, clock, log, activity, purge, follow });
  return {
    async append(call) {
      admit?.();
      return store.store(call);
    },
    maintain: () => upkeep.start(),
    async close() {
      await Promise.all([store.close(), upkeep.close()]);
      await activity.flush(pool).catch((error: unknown) => log.warn({ err: error }, 'Last counts of ingestion lost'));
    },
  };
};
