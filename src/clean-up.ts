import type { ScrollTable } from './elasticsearch/scroll-table.js';
import type { Imports } from './imports/imports.js';
import type { Log } from './log.js';
import { createPeriodicTasks, type PeriodicTask } from './periodic-tasks.js';

/**
 * Creates the tasks that delete abandoned imports, imports whose removal was postponed, expired scrolls, and expired months of
 * the audit log.
 */
export const cleanUp = (
  imports: Pick<Imports, 'purge' | 'erase'>,
  scrolls: Pick<ScrollTable, 'sweep'>,
  audit: PeriodicTask,
  log: Log,
) =>
  createPeriodicTasks(
    {
      imports: { every: 60_000, run: () => imports.purge() },
      removed: { every: 5000, run: () => imports.erase() },
      scrolls: { every: 60_000, run: () => scrolls.sweep() },
      audit,
    },
    { log, failed: 'what is over was not deleted; it will be done again' },
  );
