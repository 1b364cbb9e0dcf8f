import { Worker } from 'node:worker_threads';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { BlockMode } from '#config/config.js';
import { isAloneWorkWanted } from './alone-work.js';
import type { BlockMessage, BlockWork } from './block-work.js';
import { noteFault } from './delete-blocks.js';
import { numberOwners } from './make-day.js';
import { dayText, isMakerFree, isMakerWanted, type NotedDay } from './noted-day.js';

/** A thread that makes blocks beside the event loop, which would wait for 50 to 150 microseconds a record. */
export interface BlockThread {
  /**
   * Makes the blocks of all days that are due, and deletes and restores rows. Resolves when none is left, or another process makes blocks.
   * @throws Error if the thread fails; the next run continues
   */
  run(now: Date): Promise<void>;
  /** Ends the thread. PostgreSQL rolls back the day that it makes. */
  close(): Promise<void>;
}

/** Settings of the thread. */
export interface BlockThreadOptions {
  /** For short statements. The thread has connections of its own. */
  pool: Pool;
  connectionString: string;
  mode: BlockMode;
  log: Logger;
  /** Limit of the thread's heap in MiB. A block of long records takes some 300 MiB. */
  heap?: number;
}

/**
 * Creates the thread when days are due, and ends it when none is left: days become due once a day, an idle thread would
 * keep 20 MiB and two connections, and a new one takes a fifth of a second of processor time.
 */
export const createBlockThread = ({
  pool,
  connectionString,
  mode,
  log,
  heap = 1024,
}: BlockThreadOptions): BlockThread => {
  let worker: Worker | undefined;
  let closing = false;
  let numbered = mode === 'off';
  return {
    async run(now) {
      if (!numbered) await numberOwners(pool);
      numbered = true;
      if (closing || !(await isWanted(pool, now, mode)) || !(await isMakerFree(pool))) return;
      const work: BlockWork = { connectionString, now: now.getTime(), mode };
      worker = new Worker(new URL('block-worker.js', import.meta.url), {
        workerData: work,
        resourceLimits: { maxOldGenerationSizeMb: heap },
      });
      let day: NotedDay | undefined;
      worker.on('message', ({ day: begun, fault }: BlockMessage) => {
        day = begun;
        if (fault !== undefined) warn(log, begun, fault);
      });
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      worker.on('error', reject).on('exit', () => resolve());
      // The loop of tasks may have ended while the statement ran.
      if (closing) await worker.terminate();
      try {
        await promise;
      } catch (error) {
        // Later days must not wait for a day that ends each thread.
        if (day === undefined || (error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
        const fault = `A block needs more than ${heap} MiB of memory.`;
        await noteFault(pool, day, fault);
        warn(log, day, fault);
      } finally {
        worker = undefined;
      }
    },
    async close() {
      closing = true;
      await worker?.terminate();
    },
  };
};

const isWanted = async (pool: Pool, now: Date, mode: BlockMode): Promise<boolean> =>
  (mode !== 'off' && (await isMakerWanted(pool, now))) || isAloneWorkWanted(pool, now, mode);

const warn = (log: Logger, { organization_id, product_id, day }: NotedDay, fault: string): void =>
  log.warn(
    {
      organizationId: organization_id,
      productId: product_id,
      day: dayText(day),
      fault,
    },
    'Records of a day cannot be in blocks; searches read their rows',
  );
