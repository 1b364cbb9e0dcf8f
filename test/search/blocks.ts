import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import { makeDay } from '#records/postgres/blocks/make-day.js';
import { makeDueFleets } from '#records/postgres/blocks/make-due-days.js';
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
  // Two months from now, the month of today is over too.
  await makeDueFleets(pool, new Date(Date.now() + 62 * 86_400_000), 1);
};

/**
 * Deletes the rows of days that have blocks.
 * @param which condition on `record_blocked b` and `record r`: all days, and all rows, by default
 */
export const freezeBlocks = (pool: Pool, which: Sql = sql`true`): Promise<void> =>
  transaction(pool, async (tx) => {
    await tx.query(sql`
      with gone as (
        delete from record r using record_blocked b join record_block_source s using (source)
        where r.organization_id = s.organization_id and r.product_id is not distinct from s.product_id
          and r.ts >= b.day::timestamp at time zone 'UTC' and r.ts < (b.day + 1)::timestamp at time zone 'UTC' and ${which}
        returning b.source, b.day
      )
      update record_blocked b set alone = true from (select distinct source, day from gone) g
      where b.source = g.source and b.day = g.day`);
  });
