import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { daySeconds } from '#common/time.js';
import type { Queryable } from '#database/queryable.js';
import { Partitions } from '../upkeep/partition.js';
import { type Owner, ownedBy } from '../upkeep/rollup-day.js';
import { type BlockedDay, insertRows, loadPaths, readBlockRows } from './block-rows.js';
import { graceDays } from './freeze-day.js';

/**
 * Restores the rows of a day whose records are in blocks alone. Its blocks remain, and the rows stay for a day or longer.
 * Does nothing for other days, or if another transaction has restored them meanwhile.
 */
export const thawDay = async (tx: PoolClient, { source, day, ...owner }: BlockedDay): Promise<void> => {
  const { rows } = await tx.query<{ now: number }>(sql`
    update record_blocked
    set alone = false, made_at = greatest(made_at, clock_timestamp() - make_interval(days => ${graceDays - 1}))
    where source = ${source} and day = 'epoch'::date + ${day}::int and alone
    returning extract(epoch from now())::float8 as now`);
  const [thawed] = rows;
  if (thawed === undefined) return;
  await new Partitions().ensure(tx, [day * daySeconds], thawed.now);
  for await (const some of readBlockRows(tx, { source, day }, await loadPaths(tx, source)))
    await insertRows(tx, owner, some);
};

/** A day in blocks alone, and the number of its records. */
export interface AloneDay extends BlockedDay {
  readonly n: number;
}

/** Finds the days of an owner in blocks alone that overlap a span, which is in Unix seconds, in ascending order. */
export const findAloneDays = async (
  database: Queryable,
  owner: Owner,
  { from, to }: { from: number; to: number },
): Promise<AloneDay[]> => {
  const day = (seconds: number) => Math.floor(Math.min(Math.max(seconds / daySeconds, -719_162), 2_932_896));
  const { rows } = await database.query<AloneDay>(sql`
    select source, organization_id, product_id, b.day - 'epoch'::date as day, n
    from (select * from record_block_source where ${ownedBy(owner)}) s join record_blocked b using (source)
    where alone and b.day between 'epoch'::date + ${day(from)}::int and 'epoch'::date + ${day(to)}::int order by b.day`);
  return rows;
};
