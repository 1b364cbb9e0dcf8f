import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { hourSeconds } from '#common/time.js';
import { namedStatement } from '#database/named-statement.js';

/** Owner of a changed record, and its time of measurement (Unix seconds). */
export interface Touched {
  organizationId: string;
  productId: string | null;
  ts: number;
}

/** Notes, in the transaction that changes records, the hours whose rollups become stale. */
export const markDirty = async (tx: PoolClient, records: readonly Touched[]): Promise<void> => {
  const hours = new Map<string, Touched>();
  for (const { organizationId, productId, ts } of records) {
    const start = Math.floor(ts / hourSeconds) * hourSeconds;
    hours.set(`${organizationId}/${productId}/${start}`, { organizationId, productId, ts: start });
  }
  const list = [...hours.values()];
  await tx.query(
    namedStatement(
      'dirty',
      sql`
    insert into record_dirty (organization_id, product_id, hour)
    select organization_id, product_id, to_timestamp(start)
    from unnest(${list.map(({ organizationId }) => organizationId)}::uuid[],
      ${list.map(({ productId }) => productId)}::uuid[], ${list.map(({ ts }) => ts)}::float8[])
      w (organization_id, product_id, start)`,
    ),
  );
};
