import type { Pool } from 'pg';
import type { Log } from '#common/log.js';
import type { ScrollTable } from '#elasticsearch/scroll-table.js';
import type { Imports } from '#imports/imports.js';
import { createPeriodicTasks, type PeriodicTask } from '#scheduling/periodic-tasks.js';
import { sweepSignIns } from '#sign-in/sweep.js';

/**
 * Creates the tasks that delete abandoned imports, imports whose removal was postponed, expired scrolls, expired
 * sign-ins, and expired months of the audit log.
 */
export const cleanUp = (
  imports: Pick<Imports, 'purge' | 'erase'>,
  scrolls: Pick<ScrollTable, 'sweep'>,
  audit: PeriodicTask,
  { pool, log }: { pool: Pool; log: Log },
) =>
  createPeriodicTasks(
    {
      signIns: { every: 60_000, run: () => sweepSignIns(pool) },
      imports: { every: 60_000, run: () => imports.purge() },
      removed: { every: 5000, run: () => imports.erase() },
      scrolls: { every: 60_000, run: () => scrolls.sweep() },
      audit,
    },
    { log, failed: 'Clean-up of expired rows failed; it will be repeated' },
  );
