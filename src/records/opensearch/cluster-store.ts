import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { ApiError } from '#common/errors.js';
import { hourMs } from '#common/time.js';
import type { ClusterConfig } from '#config/cluster-setting.js';
import { completeWithoutSearch } from '../postgres/earlier/complete.js';
import { recomputeDue } from '../postgres/earlier/due.js';
import { createRecordLog, openStoredRecords, type StoredRecordsOptions } from '../postgres/log/log.js';
import type { Records } from '../postgres/records.js';
import { BulkWriter, Overloaded } from './bulk.js';
import { createClient, isUnavailable } from './client.js';
import { type ClusterMapping, createMapping } from './cluster-mapping.js';
import { DocumentMaker } from './document-maker.js';
import { createFreshness } from './freshness.js';
import { indexNames } from './indices.js';
import { noteBatch } from './journal/batch.js';
import { createIndexer, observeBulk } from './journal/indexer.js';
import { watchLag } from './journal/lag.js';
import { JournalPartitions } from './journal/partition.js';
import { createJournalUpkeep } from './journal/upkeep.js';
import { createRecomputing } from './log/recompute.js';
import { createRedecode } from './log/redecode.js';
import { refillPlace } from './log/refill.js';
import { purgeDocuments, retireDocuments } from './log/retire.js';
import { createScan } from './log/scan.js';
import { stepBuild } from './move/build.js';
import { makeNextIndex } from './next-index.js';
import { FieldPlaces } from './place.js';
import { createClusterIndex } from './record-index.js';

export interface ClusterRecordsOptions extends StoredRecordsOptions {
  config: ClusterConfig;
  log: Logger;
  registry: Registry;
}

/** Returns the tasks that bring the index in line with the journal and the retention. */
const upkeepTasks = (
  parts: Parameters<typeof stepBuild>[0] & Parameters<typeof retireDocuments>[0],
  {
    ready,
    clock,
    log,
    isClosing,
  }: { ready: ClusterMapping['ready']; isClosing: () => boolean } & Pick<ClusterRecordsOptions, 'clock' | 'log'>,
) => ({
  // Some processes still store in PostgreSQL while others already use the cluster. This copies their records.
  'moved records': {
    every: 2000,
    async run() {
      while (!isClosing() && (await stepBuild(parts))?.phase === 'copy');
    },
  },
  template: {
    every: 60_000,
    run: () => ready(true),
  },
  places: {
    every: 30_000,
    async run() {
      while (!isClosing() && (await refillPlace(parts, isClosing)));
    },
  },
  nextIndex: {
    every: hourMs,
    atStart: true,
    async run() {
      await ready();
      const index = await makeNextIndex(parts, clock());
      if (index !== undefined) log.info({ index }, 'Index of the next month created');
    },
  },
  retention: {
    every: hourMs,
    async run() {
      const { records, indices } = await retireDocuments(parts, new Date(clock()), isClosing);
      if (records + indices > 0) log.info({ records, indices }, 'Expired documents deleted');
    },
  },
});

/** Opens records in a journal of PostgreSQL, and on a cluster that is fed from it and answers queries. */
export const openClusterRecords = (options: ClusterRecordsOptions): Records => {
  const { config, pool, clock, log, registry } = options;
  const client = createClient(config);
  const names = indexNames(config.prefix);
  const { ready, mapPlaces } = createMapping(client, config, pool, (index, reason) =>
    log.warn({ index, reason }, 'Index takes no new fields; aggregations over them can lack buckets'),
  );
  const places = new FieldPlaces(pool, mapPlaces);
  const observe = observeBulk(registry);
  const writer = new BulkWriter(client, observe);
  const maker = new DocumentMaker(pool, places, names);
  // A cluster that was away may come back without its template, so the indexer checks the template before each retry.
  const once = new BulkWriter(client, observe, { maxRetries: 0 });
  const indexer = createIndexer({ pool, writer: once, maker, registry, log, ready });
  const lag = watchLag({ pool, log, registry, maxBytes: config.journalMaxBytes });
  const fresh = createFreshness({ pool, client, names, wake: () => indexer.wake(true) });
  const parts = { pool, client, names, writer, maker, fresh };
  let closing = false;
  const upkeep = createJournalUpkeep({
    pool,
    clock,
    log,
    tasks: upkeepTasks(parts, { ready, clock, log, isClosing: () => closing }),
  });
  const stored = { ...openStoredRecords(options), ...createScan(parts), redecode: createRedecode(parts) };
  return {
    stored,
    openLog(logOptions) {
      logOptions.bus.on('records', () => indexer.wake());
      return createRecordLog({
        ...logOptions,
        partitions: new JournalPartitions(),
        async note(tx, records, bytes) {
          await noteBatch(tx, records, bytes);
          lag.add(bytes);
        },
        admit: lag.admit,
        complete: completeWithoutSearch,
        recompute: (upkeepPool) => recomputeDue(upkeepPool, createRecomputing(parts)),
        purge: (gone) => purgeDocuments(parts, gone),
      });
    },
    isAway: (error) =>
      isUnavailable(error) ||
      error instanceof Overloaded ||
      (error instanceof ApiError && error.code === 'UNAVAILABLE'),
    openIndex: (indexOptions) =>
      createClusterIndex({
        ...indexOptions,
        client,
        names,
        places,
        caughtUp: (organizationId, signal) => fresh(organizationId, { signal }),
        fresh: config.strict
          ? (organizationId, signal) => fresh(organizationId, { timeoutMs: indexOptions.timeoutMs, signal })
          : () => Promise.resolve(),
      }),
    async start() {
      await ready().catch((error: unknown) => {
        if (!isUnavailable(error)) throw error;
        log.warn({ err: error }, 'Cluster unreachable; records wait in the journal');
      });
      client.watch.start();
      indexer.start();
      lag.start();
      upkeep.start();
    },
    async close() {
      closing = true;
      await Promise.all([indexer.close(), lag.close(), upkeep.close()]);
      await client.watch.close();
      await client.close();
    },
  };
};
