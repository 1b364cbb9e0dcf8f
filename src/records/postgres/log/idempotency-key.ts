import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { invalid } from '#common/errors.js';
import type { AppendResult, IdempotencyKey } from '#records/record-log.js';

/** Time for which a result is kept. */
const keptHours = 24;

/** Returns a name that is unique to the key. */
export const nameOfKey = ({ organizationId, path, key }: IdempotencyKey): string =>
  JSON.stringify([organizationId, path, key]);

/** The result of an earlier call with the same key and body, or the error for another body. */
export type Earlier = { answer: AppendResult } | { error: Error };

/**
 * Claims the keys of calls, and waits for other transactions that process the same keys. Returns the results of earlier
 * calls, by {@link nameOfKey}.
 */
export const claimIdempotencyKeys = async (
  tx: PoolClient,
  keys: readonly IdempotencyKey[],
  now: Date,
): Promise<ReadonlyMap<string, Earlier>> => {
  const earlier = new Map<string, Earlier>();
  for (const claim of [...keys].sort((a, b) => (nameOfKey(a) < nameOfKey(b) ? -1 : 1))) {
    const { organizationId, path, key, bodyHash } = claim;
    const claimed = await tx.query(sql`
      insert into idempotency_key (organization_id, path, key, body_hash, created_at)
      values (${organizationId}, ${path}, ${key}, ${bodyHash}, ${now})
      on conflict (organization_id, path, key) do update
        set body_hash = excluded.body_hash, answer = null, created_at = excluded.created_at
        where idempotency_key.created_at <= ${now}::timestamptz - make_interval(hours => ${keptHours})`);
    if (claimed.rowCount === 0) earlier.set(nameOfKey(claim), await readEarlier(tx, claim));
  }
  return earlier;
};

/** A result as the table keeps it. */
type KeptResult = Omit<AppendResult, 'isRepeated'>;

const readEarlier = async (
  tx: PoolClient,
  { organizationId, path, key, bodyHash }: IdempotencyKey,
): Promise<Earlier> => {
  const { rows } = await tx.query<{ answer: KeptResult; same: boolean }>(sql`
    select answer, body_hash = ${bodyHash} as same from idempotency_key
    where organization_id = ${organizationId} and path = ${path} and key = ${key}`);
  const [row] = rows;
  if (row?.same) return { answer: { ...row.answer, isRepeated: true } };
  return {
    error: invalid([{ path: 'Idempotency-Key', message: 'This key was used with another body; use a new one.' }]),
  };
};

/** Keeps the result of a call whose key was claimed. */
export const keepResult = async (
  tx: PoolClient,
  { organizationId, path, key }: IdempotencyKey,
  { accepted, duplicates, rejected, results }: AppendResult,
): Promise<void> => {
  const kept: KeptResult = { accepted, duplicates, rejected, results };
  await tx.query(sql`
    update idempotency_key set answer = ${JSON.stringify(kept)}::jsonb
    where organization_id = ${organizationId} and path = ${path} and key = ${key}`);
};
