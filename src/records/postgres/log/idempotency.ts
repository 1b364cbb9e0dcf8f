import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { invalid } from '#common/errors.js';
import type { PlainJson } from '#json/json.js';
import type { IdempotencyKey } from '#records/record-log.js';

const onceHours = 24;

/** Returns a unique name of a call. */
export const onceName = ({ organizationId, path, key }: IdempotencyKey): string =>
  JSON.stringify([organizationId, path, key]);

/** The earlier answer to a call with the same key and body, or the error for another body. */
export type Earlier = { answer: PlainJson } | { error: Error };

/**
 * Claims calls, and waits for other transactions that process the same ones. Returns the answers to earlier calls, by
 * {@link onceName}.
 */
export const claimOnce = async (
  tx: PoolClient,
  calls: readonly IdempotencyKey[],
  now: Date,
): Promise<ReadonlyMap<string, Earlier>> => {
  const earlier = new Map<string, Earlier>();
  for (const call of [...calls].sort((a, b) => (onceName(a) < onceName(b) ? -1 : 1))) {
    const { organizationId, path, key, bodyHash } = call;
    const claimed = await tx.query(sql`
      insert into idempotency_key (organization_id, path, key, body_hash, created_at)
      values (${organizationId}, ${path}, ${key}, ${bodyHash}, ${now})
      on conflict (organization_id, path, key) do update
        set body_hash = excluded.body_hash, answer = null, created_at = excluded.created_at
        where idempotency_key.created_at <= ${now}::timestamptz - make_interval(hours => ${onceHours})`);
    if (claimed.rowCount === 0) earlier.set(onceName(call), await readEarlier(tx, call));
  }
  return earlier;
};

const readEarlier = async (
  tx: PoolClient,
  { organizationId, path, key, bodyHash }: IdempotencyKey,
): Promise<Earlier> => {
  const { rows } = await tx.query<{ answer: PlainJson; same: boolean }>(sql`
    select answer, body_hash = ${bodyHash} as same from idempotency_key
    where organization_id = ${organizationId} and path = ${path} and key = ${key}`);
  const [row] = rows;
  if (row?.same) return { answer: row.answer };
  return {
    error: invalid([{ path: 'Idempotency-Key', message: 'This key was used with another body; take a new one.' }]),
  };
};

/** Stores the answer of a claimed call. */
export const keepAnswer = async (tx: PoolClient, call: IdempotencyKey, answer: PlainJson): Promise<void> => {
  await tx.query(sql`
    update idempotency_key set answer = ${JSON.stringify(answer)}::jsonb
    where organization_id = ${call.organizationId} and path = ${call.path} and key = ${call.key}`);
};

/** Drops the claim of a call that ended in an error, so that it may be repeated. */
export const dropOnce = async (tx: PoolClient, call: IdempotencyKey): Promise<void> => {
  await tx.query(sql`
    delete from idempotency_key
    where organization_id = ${call.organizationId} and path = ${call.path} and key = ${call.key}`);
};
