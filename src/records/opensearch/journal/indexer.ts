import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Counter, Histogram, type Registry } from 'prom-client';
import sql from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import { createPollLoop, type PollLoop } from '#scheduling/poll-loop.js';
import { type BulkItem, type BulkWriter, Overloaded } from '../bulk.js';
import { isUnavailable } from '../client.js';
import type { ClusterMapping } from '../cluster-mapping.js';
import type { RecordRow } from '../document.js';
import type { DocumentMaker } from '../document-maker.js';
import { claimBatches, type JournalBatch, releaseClaim, renewClaim, settleBatches } from './claim.js';
import { keepDeadLetters } from './dead-letter.js';
import { readJournal } from './read.js';

export interface IndexerOptions {
  pool: Pool;
  writer: BulkWriter;
  maker: DocumentMaker;
  registry: Registry;
  log: Logger;
  ready: ClusterMapping['ready'];
}

/** Moves records from the journal to the index. Every process runs one, and any of them may move a record. */
export type Indexer = PollLoop;

/** Interval of polls for records of other processes, in milliseconds. */
const interval = 500;
/** Minimum time between two claims under light load, so that records share requests. Milliseconds. */
const rest = 20;
/** Maximum number of concurrent claims. */
const concurrency = 2;
/** Maximum numbers of batches and bytes of one claim, which limit memory together with the concurrency. */
const maxBatches = 500;
const maxBytes = 16_000_000;
/** Time after which a claim is renewed, in milliseconds. */
const renewAfter = 4000;

export const createIndexer = (options: IndexerOptions): Indexer => {
  const { pool, writer, maker, registry, log, ready } = options;
  const registers = [registry];
  const indexed = new Counter({ name: 'ddp_index_records_total', help: 'Records that were indexed.', registers });
  const sources = new Sources(pool);
  /** Number of batches of the next claim, estimated from the last ones. */
  let batches = 1;
  let closing = false;
  /** Whether a cluster that was unreachable may have lost its template. */
  let isDoubtful = false;
  /** Indices written to since the template was last checked. A write creates a missing index. */
  const known = new Set<string>();

  const requireTemplate = async (items: readonly BulkItem[]): Promise<void> => {
    const indices = new Set(items.map((item) => item.index));
    if ([...indices].every((one) => known.has(one))) return;
    await ready(true);
    for (const one of indices) known.add(one);
  };

  const index = async (claimId: string, claimed: readonly JournalBatch[]): Promise<void> => {
    const rows = await readJournal(pool, claimed);
    await sources.note(rows);
    const made = await maker.make(rows);
    await requireTemplate(made.items);
    const { refused, there } = await writer.write(made.items);
    await transaction(pool, async (tx) => {
      await keepDeadLetters(tx, [...refused, ...made.refused]);
      await settleBatches(tx, claimId, claimed);
    });
    indexed.inc(rows.length - there - refused.length);
    for (const { item, reason } of [...refused, ...made.refused])
      log.error({ record: item.row.id, reason }, 'Record refused by the index; it is kept as a dead letter');
  };

  /** Indexes one claim. Returns whether there was one. */
  const work = async (): Promise<boolean> => {
    const claimId = randomUUID();
    const claimed = await claimBatches(pool, claimId, batches);
    if (claimed.length === 0) return false;
    const renewal = setInterval(() => void renewClaim(pool, claimId).catch(() => undefined), renewAfter);
    try {
      await index(claimId, claimed);
    } catch (error) {
      // If even this fails, the lease ends by itself.
      await releaseClaim(pool, claimId).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(renewal);
    }
    const mean = (of: 'records' | 'bytes') => claimed.reduce((sum, batch) => sum + batch[of], 0) / claimed.length;
    const fitting = Math.min(writer.target / mean('records'), maxBytes / mean('bytes'));
    batches = Math.max(1, Math.min(maxBatches, Math.floor(fitting)));
    return true;
  };

  const workAll = async () => {
    while (!closing && (await work()));
  };

  const loop = createPollLoop({
    interval,
    rest: () => rest,
    async poll() {
      await ready(isDoubtful);
      isDoubtful = false;
      const results = await Promise.allSettled(Array.from({ length: concurrency }, workAll));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    },
    onFailure(error, failures) {
      isDoubtful = true;
      known.clear();
      // A long outage of the cluster is logged only now and then.
      if (failures > 0 && failures % 12 !== 0) return;
      if (isUnavailable(error)) log.warn({ err: error }, 'Cluster unreachable; records wait in the journal');
      else if (error instanceof Overloaded) log.warn({ reason: error.message }, 'Records wait in the journal');
      else log.error({ err: error }, 'Records not indexed; they wait in the journal, and are tried again');
    },
    onRecovery: () => log.info('Records are indexed again'),
  });
  return {
    ...loop,
    close() {
      closing = true;
      return loop.close();
    },
  };
};

/** Registers the metric of bulk requests. */
export const observeBulk = (registry: Registry) => {
  const seconds = new Histogram({
    name: 'ddp_index_bulk_seconds',
    help: 'Time of requests that write documents.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
  });
  return (_documents: number, milliseconds: number) => seconds.observe(milliseconds / 1000);
};

/** Maximum number of cached pairs of device and product. */
const maxKnown = 200_000;

/**
 * Notes which products the records of a device have (table `record_source`), because a search may name their variables
 * and fields.
 */
class Sources {
  private readonly known = new Set<string>();

  constructor(private readonly pool: Pool) {}

  /** Notes the new pairs of these records. */
  async note(rows: readonly RecordRow[]): Promise<void> {
    const fresh = new Map<string, RecordRow>();
    for (const row of rows) {
      const key = `${row.deviceId} ${row.productId}`;
      if (!this.known.has(key)) fresh.set(key, row);
    }
    if (fresh.size === 0) return;
    const some = [...fresh.values()];
    await this.pool.query(sql`
      insert into record_source (organization_id, product_id, device_id)
      select * from unnest(${some.map(({ organizationId }) => organizationId)}::uuid[],
        ${some.map(({ productId }) => productId)}::uuid[], ${some.map(({ deviceId }) => deviceId)}::uuid[])
      on conflict do nothing`);
    if (this.known.size + fresh.size > maxKnown) this.known.clear();
    for (const key of fresh.keys()) this.known.add(key);
  }
}
