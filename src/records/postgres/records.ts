import type { CommitBus } from '#common/commit-bus.js';
import type { RecordIndex } from '../record-index.js';
import type { RecordLog, StoredRecords } from '../record-log.js';
import { createRecordLog, openStoredRecords, type RecordLogOptions, type StoredRecordsOptions } from './log/log.js';
import { createRecordIndex, type RecordIndexOptions } from './search/postgres-index.js';

/** Settings of a record store that do not depend on where records are searched. */
export type OpenLogOptions = Omit<RecordLogOptions, 'partitions' | 'note' | 'admit' | 'purge' | 'follow'> & {
  bus: CommitBus;
};

/** Storage of records: PostgreSQL alone, or PostgreSQL with a cluster that answers queries. */
export interface Records {
  stored: StoredRecords;
  /** Opens the record store. */
  openLog(options: OpenLogOptions): RecordLog;
  /** Opens the index that answers queries. */
  openIndex(options: RecordIndexOptions): RecordIndex;
  /** Whether an error means that a cluster is unreachable or behind, as opposed to a wrong request. */
  isAway(error: unknown): boolean;
  /**
   * Starts background work. A cluster may be unreachable.
   * @throws Error if the cluster has documents that this release does not understand
   */
  start(): Promise<void>;
  /** Resolves when the work in progress is over. */
  close(): Promise<void>;
}

/**
 * Opens records that PostgreSQL stores and searches.
 * @param follow copies records from the journal, where processes that still store for a cluster leave them
 */
export const openPostgresRecords = (options: StoredRecordsOptions, follow?: RecordLogOptions['follow']): Records => ({
  stored: openStoredRecords(options),
  openLog: (options) => createRecordLog({ ...options, ...(follow && { follow }) }),
  openIndex: createRecordIndex,
  isAway: () => false,
  start: () => Promise.resolve(),
  close: () => Promise.resolve(),
});
