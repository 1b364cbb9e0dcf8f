import type { Pool } from 'pg';
import { makeDay } from '#records/postgres/blocks/make-day.js';
import { findFinishedDays } from '#records/postgres/blocks/noted-day.js';
import { rollUpAll } from './rolled.js';

/** Makes blocks of all records. */
export const makeBlocks = async (pool: Pool): Promise<void> => {
  await rollUpAll(pool);
  // Two days from now, today is over too.
  for (const day of await findFinishedDays(pool, new Date(Date.now() + 2 * 86_400_000))) {
    const { outcome } = await makeDay(pool, day);
    if (outcome !== 'made') throw new Error(`The blocks of a day are not made: ${outcome}.`);
  }
};
