import { setTimeout as pause } from 'node:timers/promises';
import { dayMs } from '#common/time.js';
import { createPool } from '#database/pools.js';
import { freezeDueDays } from '#records/postgres/blocks/alone-work.js';
import { makeDay } from '#records/postgres/blocks/make-day.js';
import { findDueDays } from '#records/postgres/blocks/noted-day.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import { rollUpDays } from '#records/postgres/upkeep/rollup-day.js';
import { summarize } from '#records/postgres/upkeep/summary.js';

/** Does work of the upkeep until it is closed. */
export interface Freezer {
  /** Rejects if some work has failed. */
  close(): Promise<void>;
}

/** Time between two rounds, in milliseconds. */
const rest = 20;

/**
 * Makes blocks of each day of records that is over, and deletes the rows of each day in blocks, at once instead of a week
 * later. So tests find old records in blocks alone, and in rows while a round lasts.
 */
export const startFreezer = (databaseUrl: string): Freezer => {
  const pool = createPool(databaseUrl, { max: 2 });
  const closing = new AbortController();
  const round = async () => {
    const later = new Date(Date.now() + 8 * dayMs);
    for (const make of [rollUp, rollUpDays, summarize]) while ((await make(pool, later)) > 0);
    // In two minutes, notes of this moment are old enough.
    for (const day of await findDueDays(pool, new Date(Date.now() + 120_000))) await makeDay(pool, day);
    await freezeDueDays(pool, later);
  };
  const work = (async () => {
    while (!closing.signal.aborted) {
      await round();
      await pause(rest, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  })();
  work.catch(() => undefined);
  return {
    async close() {
      closing.abort();
      try {
        await work;
      } finally {
        await pool.end();
      }
    },
  };
};
