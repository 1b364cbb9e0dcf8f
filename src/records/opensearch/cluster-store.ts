import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { ClusterConfig } from '../../cluster-setting.js';
import type { RecordLogOptions } from '../postgres/log/log.js';
import type { RecordIndexOptions } from '../postgres/search/record-index.js';
import type { RecordIndex } from '../record-index.js';
import { createClient } from './client.js';
import { indexNames } from './indices.js';
import { noteBatch } from './journal/batch.js';
import { JournalPartitions } from './journal/partition.js';
import { Places } from './place.js';
import { createClusterIndex } from './record-index.js';

/** What records on a cluster are kept with. */
export interface ClusterStoreOptions {
  config: ClusterConfig;
  /** For what may take its time. */
  pool: Pool;
  clock: () => number;
  log: Logger;
}

/** Records in a journal of PostgreSQL and on a cluster that is fed from it. */
export interface ClusterStore {
  /** What of the log differs. */
  journal: Pick<RecordLogOptions, 'partitions' | 'note'>;
  /** Answers questions from the cluster. */
  openIndex(options: RecordIndexOptions): RecordIndex;
  close(): Promise<void>;
}

/** Opens the store. */
export const createClusterStore = ({ config, pool }: ClusterStoreOptions): ClusterStore => {
  const client = createClient(config);
  const names = indexNames(config.prefix);
  const places = new Places(pool);
  return {
    journal: { partitions: new JournalPartitions(), note: noteBatch },
    openIndex: (options) => createClusterIndex({ ...options, client, names, places, fresh: () => Promise.resolve() }),
    close: () => client.close(),
  };
};
