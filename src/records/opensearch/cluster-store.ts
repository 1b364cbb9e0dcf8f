import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ClusterConfig } from '../../cluster-setting.js';
import type { RecordLogOptions } from '../postgres/log/log.js';
import type { RecordIndexOptions } from '../postgres/search/record-index.js';
import type { RecordIndex } from '../record-index.js';
import { BulkWriter } from './bulk.js';
import { createClient, isUnavailable } from './client.js';
import { createFreshness } from './fresh.js';
import { indexNames } from './indices.js';
import { noteBatch } from './journal/batch.js';
import { createIndexer, observeBulk } from './journal/indexer.js';
import { watchLag } from './journal/lag.js';
import { JournalPartitions } from './journal/partition.js';
import { createJournalUpkeep } from './journal/upkeep.js';
import { DocumentMaker } from './maker.js';
import { Places } from './place.js';
import { createClusterIndex } from './record-index.js';
import { createReadiness } from './template.js';

/** What records on a cluster are kept with. */
export interface ClusterStoreOptions {
  config: ClusterConfig;
  /** For what may take its time. */
  pool: Pool;
  clock: () => number;
  log: Logger;
  registry: Registry;
}

/** Records in a journal of PostgreSQL and on a cluster that is fed from it. */
export interface ClusterStore {
  /** What of the log differs. */
  journal: Required<Pick<RecordLogOptions, 'partitions' | 'note' | 'admit'>>;
  /** Answers questions from the cluster. */
  openIndex(options: RecordIndexOptions): RecordIndex;
  /** Told that records were stored. */
  stored(): void;
  /** Begins to index. Throws where the cluster has documents that this release does not understand; it may be away. */
  start(): Promise<void>;
  /** Resolves when what is under way is over. */
  close(): Promise<void>;
}

/** Opens the store. */
export const createClusterStore = ({ config, pool, clock, log, registry }: ClusterStoreOptions): ClusterStore => {
  const client = createClient(config);
  const names = indexNames(config.prefix);
  const places = new Places(pool);
  const writer = new BulkWriter(client, observeBulk(registry));
  const maker = new DocumentMaker(pool, places, names);
  const ready = createReadiness(client, config, pool);
  const indexer = createIndexer({ pool, writer, maker, registry, log, ready });
  const lag = watchLag({ pool, log, registry, maxBytes: config.journalMaxBytes });
  const upkeep = createJournalUpkeep({ pool, clock, log, tasks: {} });
  const fresh = createFreshness({ pool, client, names, wake: () => indexer.wake(true) });
  return {
    journal: {
      partitions: new JournalPartitions(),
      async note(tx, records, bytes) {
        await noteBatch(tx, records, bytes);
        lag.add(bytes);
      },
      admit: lag.admit,
    },
    openIndex: (options) =>
      createClusterIndex({
        ...options,
        client,
        names,
        places,
        fresh: config.strict ? fresh : () => Promise.resolve(),
      }),
    stored: () => indexer.wake(),
    async start() {
      await ready().catch((error: unknown) => {
        if (!isUnavailable(error)) throw error;
        log.warn({ err: error }, 'the cluster cannot be reached; records wait in the journal');
      });
      indexer.start();
      lag.start();
      upkeep.start();
    },
    async close() {
      await Promise.all([indexer.close(), lag.close(), upkeep.close()]);
      await client.close();
    },
  };
};
