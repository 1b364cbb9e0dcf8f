import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';

/** Duration of a lease in seconds. A live process renews it; batches of a dead one wait until it ends. */
const lease = 15;

/** A batch that this indexer has claimed, until its lease ends. */
export interface JournalBatch {
  id: string;
  low: string;
  high: string;
  records: number;
  bytes: number;
}

/** Claims the oldest batches that nobody works on, or whose indexer is dead or cut off. */
export const claimBatches = async (database: Queryable, claimId: string, limit: number): Promise<JournalBatch[]> => {
  const { rows } = await database.query<JournalBatch>(sql`
    update record_batch b
       set claim_id = ${claimId}, lease_until = clock_timestamp() + make_interval(secs => ${lease}), attempts = attempts + 1
      from (select id from record_batch where lease_until is null or lease_until < clock_timestamp()
             order by id limit ${limit} for update skip locked) free
     where b.id = free.id
    returning b.id, b.low, b.high, b.records, b.bytes::float8 as bytes`);
  return rows;
};

/** Deletes indexed batches. Batches that another process has claimed meanwhile are left to it. */
export const settleBatches = async (
  database: Queryable,
  claimId: string,
  batches: readonly JournalBatch[],
): Promise<void> => {
  await database.query(sql`
    delete from record_batch where id = any(${batches.map(({ id }) => id)}::bigint[]) and claim_id = ${claimId}`);
};

/** Renews a lease. */
export const renewClaim = async (database: Queryable, claimId: string): Promise<void> => {
  await database.query(sql`
    update record_batch set lease_until = clock_timestamp() + make_interval(secs => ${lease}) where claim_id = ${claimId}`);
};

/** Releases a claim, so that its batches need not wait for the end of the lease. */
export const releaseClaim = async (database: Queryable, claimId: string): Promise<void> => {
  await database.query(sql`update record_batch set claim_id = null, lease_until = null where claim_id = ${claimId}`);
};

/** Backlog of the index. */
export interface Lag {
  batches: number;
  records: number;
  bytes: number;
  /** Age of the oldest batch in seconds; 0 if nothing waits. */
  oldest: number;
  deadLetters: number;
}

/** Reads the backlog. */
export const readLag = async (database: Queryable): Promise<Lag> => {
  const { rows } = await database.query<Lag>(sql`
    select count(*)::float8 as batches, coalesce(sum(records), 0)::float8 as records, coalesce(sum(bytes), 0)::float8 as bytes,
           coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as oldest,
           (select count(*) from index_dead_letter)::float8 as "deadLetters"
      from record_batch`);
  return rows[0]!;
};

/** Returns the last waiting batch of an organization, or undefined. */
export const lastBatch = async (database: Queryable, organizationId: string): Promise<string | undefined> => {
  const { rows } = await database.query<{ id: string | null }>(
    sql`select max(id) as id from record_batch where organizations @> array[${organizationId}]::uuid[]`,
  );
  return rows[0]?.id ?? undefined;
};

/** Whether a batch of an organization up to this one still waits. */
export const isWaiting = async (database: Queryable, organizationId: string, last: string): Promise<boolean> => {
  const { rows } = await database.query<{ waits: boolean }>(sql`
    select exists (select from record_batch where id <= ${last} and organizations @> array[${organizationId}]::uuid[]) as waits`);
  return rows[0]!.waits;
};
