import sql from 'sql-template-tag';
import { horizons, type RetentionTarget, targets } from '#records/postgres/upkeep/retention.js';
import { removeDocuments } from '../remove.js';
import type { ClusterLogOptions } from './options.js';

/** Result of the retention. */
interface Retired {
  records: number;
  indices: number;
}

/** Drops the months that are wholly past their retention, and deletes expired documents in the others. */
export const retireDocuments = async (
  options: ClusterLogOptions,
  now: Date,
  stopped: () => boolean,
): Promise<Retired> => {
  const { pool, client, names } = options;
  const retired: Retired = { records: 0, indices: 0 };
  const { all } = await horizons(pool, now);
  if (all !== null) {
    const { body } = await client.indices.get({ index: names.all, allow_no_indices: true, ignore_unavailable: true });
    for (const index of Object.keys(body).filter((name) => names.endOf(name) <= Date.parse(all))) {
      await client.indices.delete({ index, ignore_unavailable: true });
      retired.indices++;
    }
  }
  const { rows: own } = await pool.query<Owned>(
    sql`select organization_id, product_id from record_retention where product_id is not null`,
  );
  for (const target of await targets(pool, now)) {
    if (stopped()) break;
    const before = { range: { ts: { lt: Date.parse(target.before) } } };
    const query = { bool: { filter: [{ term: { o: target.organization_id } }, before], ...belongs(target, own) } };
    retired.records += await removeDocuments(options, query, stopped);
  }
  return retired;
};

/** A product's own retention replaces that of its organization, whether it is longer or shorter. */
const belongs = ({ organization_id, product_id }: RetentionTarget, own: readonly Owned[]): object => {
  if (product_id !== null) return { must: [{ term: { p: product_id } }] };
  const products = own.filter((one) => one.organization_id === organization_id).map((one) => one.product_id);
  return { must_not: [{ terms: { p: products } }] };
};

/** A product with its own retention. */
interface Owned {
  organization_id: string;
  product_id: string;
}

/**
 * Deletes the documents of a deleted device. Returns false if some of its records may still be on their way to the
 * index.
 */
export const purgeDocuments = async (
  options: ClusterLogOptions,
  { deviceId, deletedAt }: { deviceId: string; deletedAt: string },
): Promise<boolean> => {
  const { rows } = await options.pool.query<{ waits: boolean }>(
    sql`select exists (select from record_batch where created_at <= ${deletedAt}::timestamptz + interval '1 minute') as waits`,
  );
  if (rows[0]!.waits) return false;
  await removeDocuments(options, { term: { d: deviceId } });
  return true;
};
