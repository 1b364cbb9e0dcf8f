import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import type { Refused } from '../bulk.js';
import type { IndexableRow } from './read.js';

/** A record that the index refuses. */
export interface DeadLetter {
  recordId: string;
  organizationId: string;
  reason: string;
  /** ISO 8601. */
  createdAt: string;
  attempts: number;
}

/** Stores records that cannot be indexed, with all data that a retry needs. */
export const keepDeadLetters = async (
  database: Queryable,
  refused: readonly Refused<{ row: IndexableRow }>[],
): Promise<void> => {
  if (refused.length === 0) return;
  const rows = refused.map(({ item: { row }, reason }) => ({ reason: reason.slice(0, 1000), row }));
  await database.query(sql`
    insert into index_dead_letter as stored (record_id, organization_id, reason, "row")
    select ("row" ->> 'id')::uuid, ("row" ->> 'organizationId')::uuid, reason, "row"
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) w (reason text, "row" jsonb)
    on conflict (record_id) do update set reason = excluded.reason, attempts = stored.attempts + 1`);
};

/** Lists dead letters, the oldest first. */
export const listDeadLetters = async (database: Queryable, limit: number): Promise<DeadLetter[]> => {
  const { rows } = await database.query<DeadLetter>(sql`
    select record_id as "recordId", organization_id as "organizationId", reason, created_at as "createdAt", attempts
      from index_dead_letter order by created_at, record_id limit ${limit}`);
  return rows;
};

/** Reads a page of dead letters to retry, after the last one of the previous page. Omits those of deleted devices. */
export const readDeadLetters = async (database: Queryable, after: string, limit: number): Promise<IndexableRow[]> => {
  const { rows } = await database.query<{ row: IndexableRow }>(sql`
    select "row" || jsonb_build_object('version', p.xmin::text,
             'foreign', p.organization_id <> l.organization_id) as "row"
      from index_dead_letter l join device d on d.id = ("row" ->> 'deviceId')::uuid
      left join product p on p.id = ("row" ->> 'productId')::uuid
     where record_id > ${after} order by record_id limit ${limit}`);
  return rows.map(({ row }) => row);
};

/** Deletes dead letters that were indexed, and those of deleted devices. */
export const dropDeadLetters = async (database: Queryable, recordIds: readonly string[]): Promise<void> => {
  await database.query(sql`
    delete from index_dead_letter where record_id = any(${recordIds}::uuid[])
        or not exists (select from device d where d.id = ("row" ->> 'deviceId')::uuid)`);
};
