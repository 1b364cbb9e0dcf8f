import type { Imports } from './imports/imports.js';
import type { Log } from './log.js';
import { createPeriodicTasks } from './periodic-tasks.js';

/** Deletes files that nobody imports. */
export const cleanImports = (imports: Pick<Imports, 'purge' | 'erase'>, log: Log) =>
  createPeriodicTasks(
    {
      imports: { every: 60_000, run: () => imports.purge() },
      removed: { every: 5000, run: () => imports.erase() },
    },
    { log, failed: 'old files were not deleted; it will be done again' },
  );
