import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { hourMs, minuteMs, secondMs, weekSeconds } from '#common/time.js';
import { createPeriodicTasks, type PeriodicTask } from '#scheduling/periodic-tasks.js';
import { type BlockThreadOptions, createBlockThread } from '../blocks/block-thread.js';
import { dropReplacing, dropStale } from '../blocks/delete-blocks.js';
import { recomputeDue } from '../earlier/due.js';
import type { ActivityCounter } from '../log/activity.js';
import { foldActivity } from './activity.js';
import { noteEarlier } from './newest-field.js';
import { Partitions } from './partition.js';
import { type Purge, purgeDevices, purgeKeys } from './purge.js';
import { retire } from './retention.js';
import { rollUp } from './rollup.js';
import { rollUpDays } from './rollup-day.js';
import { summarize } from './summary.js';

/** Number of weeks for which partitions are made ahead. */
const weeksAhead = 4;

/** Settings of the upkeep. */
export interface UpkeepOptions {
  pool: Pool;
  clock: () => number;
  log: Logger;
  /** Counts to write. */
  activity: Pick<ActivityCounter, 'flush'>;
  /** Deletes a device's records that are kept elsewhere too. */
  purge?: Purge | undefined;
  /** Copies records that other processes still store elsewhere, because they do not know yet that records are here. */
  follow?: (() => Promise<unknown>) | undefined;
  /** Computes noted records again; by default in PostgreSQL. Returns whether more may remain. */
  recompute?: ((pool: Pool) => Promise<boolean>) | undefined;
  /** Makes blocks of finished days, according to the mode. Undefined: blocks are left alone. */
  blocks?: Pick<BlockThreadOptions, 'connectionString' | 'mode'> | undefined;
}

/**
 * Maintains the records: partitions, rollups, blocks, retention, purges. Every process does all of it, and repeating it
 * does no harm.
 */
export interface Upkeep {
  start(): void;
  /** Resolves when the work in progress has reached a place to stop. */
  close(): Promise<void>;
}

/** Creates the upkeep of records. */
export const createUpkeep = ({
  pool,
  clock,
  log,
  activity,
  purge,
  follow,
  recompute = recomputeDue,
  blocks,
}: UpkeepOptions): Upkeep => {
  let closing = false;
  const thread = blocks && createBlockThread({ ...blocks, pool, log });
  const now = () => new Date(clock());

  /** A task that repeats a step until it has done nothing. */
  const repeated = (every: number, step: () => Promise<number | boolean>): PeriodicTask => ({
    every,
    run: async () => {
      while (!closing && Number(await step()) > 0);
    },
  });
  const tasks: Record<string, PeriodicTask> = {
    partitions: {
      every: hourMs,
      atStart: true,
      run: () => {
        const today = clock() / secondMs;
        const times = Array.from({ length: weeksAhead + 1 }, (_, ahead) => today + ahead * weekSeconds);
        return new Partitions().ensure(pool, times, today);
      },
    },
    rollups: repeated(5 * secondMs, () => rollUp(pool, now())),
    days: repeated(minuteMs, () => rollUpDays(pool, now())),
    summaries: repeated(minuteMs, () => summarize(pool, now())),
    blocks: {
      every: minuteMs,
      run: async () => {
        await thread?.run(now());
        if (blocks !== undefined && blocks.mode !== 'off') return;
        while (!closing && (await dropStale(pool)) > 0);
        await dropReplacing(pool);
      },
    },
    fields: repeated(minuteMs, () => noteEarlier(pool)),
    devices: repeated(minuteMs, () => purgeDevices(pool, now(), purge)),
    'derived variables': repeated(5 * secondMs, () => recompute(pool)),
    ...(follow && {
      'moved records': {
        every: 2 * secondMs,
        async run() {
          await follow();
        },
      },
    }),
    keys: repeated(minuteMs, () => purgeKeys(pool, now())),
    activity: { every: 5 * secondMs, run: () => activity.flush(pool) },
    fold: repeated(hourMs, () => foldActivity(pool, now())),
    retention: {
      // An hourly run costs nothing if nothing is due, and is not postponed by daily restarts.
      every: hourMs,
      run: async () => {
        const { records, partitions } = await retire(pool, now(), () => closing);
        if (records + partitions > 0) log.info({ records, partitions }, 'Expired records deleted');
      },
    },
  };

  const periodic = createPeriodicTasks(tasks, { log, failed: 'Upkeep of records failed; it will be repeated' });

  return {
    start: periodic.start,
    async close() {
      closing = true;
      await Promise.all([periodic.close(), thread?.close()]);
    },
  };
};
