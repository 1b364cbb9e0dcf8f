import type { Pool } from 'pg';
import type { Logger } from 'pino';
import sql from 'sql-template-tag';
import { dayMs, minuteMs } from '#common/time.js';
import type { Queryable } from '#database/queryable.js';
import { firstId } from '#entities/id.js';
import { createPeriodicTasks, type PeriodicTasks } from '#scheduling/periodic-tasks.js';
import { readMove } from '../move/state.js';
import { JournalPartitions } from './partition.js';

/** Time for which indexed records stay in the journal, in milliseconds: the cluster may lose what it has just taken. */
const keptFor = dayMs;

export interface JournalUpkeepOptions {
  pool: Pool;
  clock: () => number;
  log: Logger;
  /** Further periodic tasks. */
  tasks: Parameters<typeof createPeriodicTasks>[0];
}

/**
 * Creates the upkeep. It makes partitions of the journal ahead, and drops those that are indexed and older than a day.
 */
export const createJournalUpkeep = ({ pool, clock, log, tasks }: JournalUpkeepOptions): PeriodicTasks =>
  createPeriodicTasks(
    {
      ...tasks,
      'journal partitions': {
        every: 30 * minuteMs,
        atStart: true,
        async run() {
          await new JournalPartitions().ensure(pool);
          const dropped = await dropIndexed(pool, clock() - keptFor);
          if (dropped > 0) log.info({ partitions: dropped }, 'Records indexed a day ago dropped from the journal');
        },
      },
    },
    { log, failed: 'Upkeep of the journal failed; it will be repeated' },
  );

/** Drops partitions whose records all arrived before a time (milliseconds) and are indexed. Returns their number. */
const dropIndexed = async (pool: Queryable, before: number): Promise<number> => {
  // A move back to PostgreSQL has yet to copy these records.
  if ((await readMove(pool, 'drain')) !== undefined) return 0;
  const { rows } = await pool.query<{ dropped: number }>(
    sql`select journal.drop_partitions(${firstId(before)}::uuid) as dropped`,
  );
  return rows[0]!.dropped;
};
