import type { ScrollTable } from './elasticsearch/scroll-table.js';
import type { Imports } from './imports/imports.js';
import type { Log } from './log.js';
import { createPeriodicTasks } from './periodic-tasks.js';

/** Creates the tasks that delete abandoned imports, imports whose removal was postponed, and expired scrolls. */
export const cleanUp = (imports: Pick<Imports, 'purge' | 'erase'>, scrolls: Pick<ScrollTable, 'sweep'>, log: Log) =>
  createPeriodicTasks(
    {
      imports: { every: 60_000, run: () => imports.purge() },
      removed: { every: 5000, run: () => imports.erase() },
      scrolls: { every: 60_000, run: () => scrolls.sweep() },
    },
    { log, failed: 'what is over was not deleted; it will be done again' },
  );
