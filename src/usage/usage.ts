import type { Pool } from 'pg';
import { ApiError } from '#common/errors.js';
import type { Log } from '#common/log.js';
import { type Item, Rejection } from '#records/item.js';
import type { RecordLog, StoredRecords } from '#records/record-log.js';
import { createPeriodicTasks } from '#scheduling/periodic-tasks.js';
import { CallCounter } from './call-counter.js';
import { foldUsage } from './fold.js';
import { Quotas, type Settle } from './quotas.js';
import { measureStorage } from './storage.js';

/** Usage and quotas of organizations. */
export interface Usage {
  /** Counts calls of an organization. */
  count(organizationId: string, calls?: number): void;
  /** Wraps the record store so that it refuses calls that exceed a quota. */
  limit(records: RecordLog): RecordLog;
  /** @throws ApiError if the organization has used up its quota of stored bytes */
  requireStorage(organizationId: string): void;
  /** Loads the quotas, which apply from then on, and starts the periodic work. */
  start(): Promise<void>;
  /** Writes the last counts. */
  close(): Promise<void>;
}

const second = 1000;
/**
 * Interval of refreshing quotas and what other processes have stored, in milliseconds. A new quota applies after at
 * most this time.
 */
const lookEvery = 2 * second;

/** Creates the usage. */
export const createUsage = ({
  pool,
  clock,
  log,
  countAll,
}: {
  pool: Pool;
  clock: () => number;
  log: Log;
  /** Counts the stored records of an organization. */
  countAll: StoredRecords['countAll'];
}): Usage => {
  const calls = new CallCounter(clock);
  const quotas = new Quotas(pool, clock);
  let closing = false;
  const tasks = createPeriodicTasks(
    {
      calls: { every: 5 * second, run: () => calls.flush(pool) },
      usage: {
        every: 5 * second,
        run: async () => {
          while (!closing && (await foldUsage(pool)));
        },
      },
      quotas: { every: lookEvery, run: () => quotas.look() },
      storage: {
        every: 5 * second,
        run: async () => {
          while (!closing && (await measureStorage(pool, new Date(clock()), countAll)));
        },
      },
    },
    { log, failed: 'Count of usage failed; it will be repeated' },
  );
  return {
    count: (organizationId, n) => calls.count(organizationId, n),
    limit: (of) => limitRecords(of, quotas),
    requireStorage: (organizationId) => quotas.requireStorage(organizationId),
    async start() {
      await quotas.look();
      tasks.start();
    },
    async close() {
      closing = true;
      await tasks.close();
      await quotas.close().catch((error: unknown) => log.warn({ err: error }, 'Claims of quotas not released'));
      await calls.flush(pool).catch((error: unknown) => log.warn({ err: error }, 'Last calls not counted'));
    },
  };
};

const limitRecords = (records: RecordLog, quotas: Quotas): RecordLog => ({
  ...records,
  async append(call) {
    let settle: Settle;
    try {
      const reserving = quotas.reserve(call.organizationId, call.items.filter(isItem).length);
      // Most organizations have no quota: their calls do not wait here.
      settle = reserving instanceof Promise ? await reserving : reserving;
    } catch (error) {
      if (error instanceof ApiError) quotas.noteRefused(call.organizationId);
      throw error;
    }
    try {
      const result = await records.append(call);
      settle(result.isRepeated ? 0 : result.accepted);
      return result;
    } catch (error) {
      settle(0);
      throw error;
    }
  },
});

const isItem = (item: Item | Rejection): boolean => !(item instanceof Rejection);
