import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { Registry } from 'prom-client';
import type { Alerts } from '#alerts/alerts.js';
import { defaultMaxUndecided } from '#alerts/catch-up.js';
import type { Mailer } from '#alerts/mail/mailer.js';
import { createSparseEvents, type SparseEvents } from '#audit/sparse-events.js';
import { auditUpkeep } from '#audit/upkeep.js';
import { type CommitBus, createCommitBus } from '#common/commit-bus.js';
import { ApiError } from '#common/errors.js';
import type { BlockMode, Config } from '#config/config.js';
import type { CallReads } from '#database/call-read.js';
import { isConnectionLoss } from '#database/connection-loss.js';
import { fairQueueFor } from '#database/pool-queue.js';
import { prepareDatabase } from '#database/prepare.js';
import type { Reader } from '#database/reader.js';
import { createDownlink, type Downlink } from '#downlink/downlink.js';
import type { Network } from '#downlink/network/network.js';
import { type Cursors, openCursors } from '#elasticsearch/cursors.js';
import type { Hooks } from '#hooks/hooks.js';
import { createImports, type Imports } from '#imports/imports.js';
import { createImportSteps } from '#imports/step.js';
import { createJobs, type Jobs } from '#jobs/jobs.js';
import type { Live } from '#live/live.js';
import type { ClusterRecordsOptions } from '#records/opensearch/cluster-store.js';
import { followJournal } from '#records/opensearch/move/drain.js';
import { usualBlockMode } from '#records/postgres/blocks/block-mode.js';
import { observeBlocks } from '#records/postgres/blocks/metrics.js';
import { openPostgresRecords, type Records } from '#records/postgres/records.js';
import type { RecordIndex } from '#records/record-index.js';
import type { RecordLog, StoredRecords } from '#records/record-log.js';
import { createDeviceBatchSteps } from '#resolvers/bulk/device-batch-job.js';
import { openTracing } from '#telemetry/open.js';
import type { Tracing } from '#telemetry/tracing.js';
import { createUsage, type Usage } from '#usage/usage.js';
import { cleanUp } from './clean-up.js';
import { type Connections, openConnections } from './connections.js';
import { openMail } from './mail.js';
import { createGroupMetrics, measureIndex, measureLog, observeProcess } from './metrics.js';
import { openAlerts, openHooks, openLive, openNetwork } from './outgoing.js';
import type { Base, ServicesOptions } from './services-options.js';

export type { ServicesOptions } from './services-options.js';

/** The services over one database, connected with each other. */
export interface Services {
  orm: MikroORM;
  /** For short work beside calls. */
  pool: Pool;
  reader: Reader;
  /** For authentication and readiness only. No tenant's request can delay it. */
  accessReader: Reader;
  /** Reads of calls. */
  reads: CallReads;
  hooks: Hooks;
  alerts: Alerts;
  /** E-mail of alerts; undefined when e-mail is off. */
  mail: Mailer | undefined;
  /** Prometheus metrics. */
  registry: Registry;
  records: RecordLog;
  stored: StoredRecords;
  index: RecordIndex;
  /** Timeout of searches and of previews, in milliseconds. */
  searchTimeout: number;
  jobs: Jobs;
  imports: Imports;
  live: Live;
  /** Commands and desired state, on their way to devices. */
  downlink: Downlink;
  /** Network servers. */
  network: Network;
  /** Publishes what this process commits. */
  bus: CommitBus;
  /** Undefined when tracing is off. */
  tracing: Tracing | undefined;
  usage: Usage;
  /** Cursors of the Elasticsearch interface. */
  cursors: Cursors;
  /** Writes events of the audit log that come once a minute at most. */
  sparseEvents: SparseEvents;
  /** Returns milliseconds since the epoch. */
  clock: () => number;
  /** Finishes work in progress within this number of milliseconds, then closes the connections to the database. */
  close(within: number): Promise<void>;
}

/**
 * Migrates the database, opens all services and connects them: the deliveries for stored records are committed with the
 * records.
 */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { config, connectionString, log } = options;
  const { clock = Date.now, random = Math.random, maxUndecided = defaultMaxUndecided } = options;
  await prepareDatabase(connectionString, log);
  const tracing = config.tracing && (await openTracing(config.tracing, log));
  const connections = await openConnections(config, connectionString, { log, follow: tracing?.statement });
  const registry = new Registry();
  const place = await openRecords(config, connections, { clock, log, registry });
  const given = { ...options, clock, random, maxUndecided };
  const blockMode = await blockModeOf(config, connections);
  const base: Base = { ...given, connections, registry, place, blockMode, tracing, bus: createCommitBus() };
  const live = openLive(base);
  const hooks = openHooks(base);
  const mail = openMail(base);
  const alerts = openAlerts(base, hooks, mail);
  const usage = createUsage({ pool: connections.pool, clock, log, countAll: place.stored.countAll });
  const records = usage.limit(openRecordLog(base, hooks, alerts));
  const index = openRecordIndex(base);
  const jobs = openJobs(base, hooks, index, records);
  const imports = createImports({ pool: connections.pool, jobs, clock, requireStorage: usage.requireStorage });
  const cursors = openCursors(connections.pool, clock, options.secretKeys);
  const { pool } = connections;
  const downlink = createDownlink({ pool, clock, log, bus: base.bus, retention: config.hooks.deliveryRetention });
  const network = openNetwork(base, hooks);
  const cleaning = cleanUp(
    imports,
    cursors.scrolls,
    auditUpkeep({ pool: connections.pool, clock, retention: config.auditRetention }),
    { pool: connections.pool, log },
  );
  await connections.observe(registry);
  observeProcess(registry, options.worker?.number);
  if (makesBlocks(blockMode)) observeBlocks(registry, connections.pool, clock);
  await place.start();
  await hooks.start();
  await usage.start();
  alerts.start();
  records.maintain();
  jobs.start();
  downlink.start();
  network.start();
  cleaning.start();
  live.start();
  const { orm, reader, accessReader, reads } = connections;
  return {
    orm,
    pool: connections.pool,
    reader,
    accessReader,
    reads,
    hooks,
    alerts,
    mail,
    registry,
    records,
    stored: place.stored,
    index,
    searchTimeout: config.search.timeout,
    jobs,
    imports,
    live,
    downlink,
    network,
    bus: base.bus,
    tracing,
    usage,
    cursors,
    sparseEvents: createSparseEvents((statement) => connections.pool.query(statement), log),
    clock,
    async close(within) {
      await Promise.all([records.close(), jobs.close(), cleaning.close(), usage.close(), downlink.close()]);
      await alerts.close();
      await Promise.all([hooks.close(within), network.close(within)]);
      await live.close();
      await Promise.all([index.close(), place.close()]);
      await connections.close();
      await tracing?.close();
    },
  };
}

/**
 * Opens the place of records. The OpenSearch client has 650 modules, so it is loaded only when a cluster answers
 * searches.
 */
async function openRecords(
  { recordIndex, cluster }: Config,
  { pool, livePool, liveSlowPool }: Connections,
  shared: Pick<ClusterRecordsOptions, 'clock' | 'log' | 'registry'>,
): Promise<Records> {
  const options = { pool, queryPool: liveSlowPool, changes: { quick: livePool, slow: liveSlowPool }, ...shared };
  if (recordIndex !== 'opensearch' || !cluster) {
    return openPostgresRecords(options, () => followJournal(options));
  }
  const { openClusterRecords } = await import('#records/opensearch/cluster-store.js');
  return openClusterRecords({ config: cluster, ...options });
}

const blockModeOf = async ({ recordIndex, recordBlocks }: Config, { pool }: Connections) =>
  recordIndex === 'postgres' ? (recordBlocks ?? (await usualBlockMode(pool))) : undefined;

const makesBlocks = (mode: BlockMode | undefined): boolean => mode === 'on' || mode === 'alone';

function openRecordLog(
  { connectionString, connections, place, blockMode, clock, log, registry, tracing, bus }: Base,
  hooks: Hooks,
  alerts: Alerts,
): RecordLog {
  const { storePool, slowStorePool, pool } = connections;
  const records = place.openLog({
    storePool,
    slowStorePool,
    pool,
    log,
    trace: tracing?.group,
    clock,
    plans: [
      // Hooks come first: they lock fewer rows, and for a shorter time.
      hooks.planDeliveries,
      async (tx, stored) => {
        const watched = stored.filter(({ device, isImported }) => device.hasRules && !isImported);
        return watched.length > 0 ? alerts.planDecisions(tx, watched) : undefined;
      },
    ],
    bus,
    ...(blockMode && { blocks: { connectionString, mode: blockMode } }),
    grouped: createGroupMetrics(registry),
  });
  return measureLog(records, registry);
}

function openRecordIndex({ connections, place, blockMode, config, clock, registry }: Base): RecordIndex {
  const { searchPool, standbys, reads, pool, liveSlowPool } = connections;
  const queue = fairQueueFor(searchPool);
  const index = place.openIndex({
    pool: searchPool,
    queue,
    standbys,
    reads,
    readPool: pool,
    checkPool: liveSlowPool,
    clock,
    timeoutMs: config.search.timeout,
    rollups: config.search.rollups,
    blocks: makesBlocks(blockMode),
  });
  return measureIndex(index, registry, () =>
    standbys.figures().standbys.reduce((sum, { waiting }) => sum + waiting, queue.waiting),
  );
}

function openJobs(
  { connections, place, clock, log }: Base,
  hooks: Hooks,
  index: RecordIndex,
  records: RecordLog,
): Jobs {
  const imports = createImportSteps({ pool: connections.pool, clock, records });
  return createJobs({
    pool: connections.pool,
    clock,
    log,
    kinds: {
      redecode: place.stored.redecode,
      recompute: place.stored.redecode,
      redeliver: hooks.steps.redeliver,
      replay: hooks.steps.replay,
      ...createDeviceBatchSteps(index),
      ...imports.kinds,
    },
    apart: imports.apart,
    // An import waits while records cannot be stored.
    isConnectionLoss: (error) =>
      isConnectionLoss(error) || place.isAway(error) || (error instanceof ApiError && error.code === 'UNAVAILABLE'),
  });
}
