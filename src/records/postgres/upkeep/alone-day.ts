import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';

/*
 * Days whose records are in blocks alone (`record_blocked.alone`): their rows are deleted. Rows of such a day arrived
 * later and are in no block. So a day's records are those of its blocks and its rows, in every snapshot. Whoever changes
 * or deletes stored records of such days first has their rows restored.
 */

/** SQL condition: the records of a day (a timestamp expression, UTC) of a row `d` with its owner are in blocks alone. */
export const isAlone = (day: Sql): Sql => sql`exists (
  select from record_block_source s join record_blocked b on b.source = s.source and b.alone
  where s.organization_id = d.organization_id and s.product_id is not distinct from d.product_id
    and b.day = (${day} at time zone 'UTC')::date)`;

const key = sql`hashtextextended('record rows', 0)`;

/** Keeps all rows until the end of the transaction: no rows are deleted because blocks hold them. */
export const keepRows = async (tx: PoolClient): Promise<void> => {
  await tx.query(sql`select pg_advisory_xact_lock_shared(${key})`);
};

/** Lets the transaction delete rows that blocks hold. Returns false while {@link keepRows} holds. */
export const mayDeleteRows = async (tx: PoolClient): Promise<boolean> =>
  (await tx.query<{ locked: boolean }>(sql`select pg_try_advisory_xact_lock(${key}) as locked`)).rows[0]!.locked;
