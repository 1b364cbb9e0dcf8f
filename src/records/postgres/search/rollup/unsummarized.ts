import sql from 'sql-template-tag';
import { instantText } from '../../../../search/query/option/instant.js';
import type { Rows } from '../snapshot-reader.js';
import { type Candidate, keysOf, maxStale } from './eligible.js';
import type { Stale } from './range.js';

/** The days of products that have no rows by the value of a candidate's key, or none that are right; no more than serve. */
export const findUnsummarized = async (
  rows: Rows,
  { organizationId, productIds }: { organizationId: string; productIds: readonly string[] },
  candidate: Candidate,
): Promise<Stale[]> => {
  const keys = keysOf(candidate)?.filter(({ productId }) => productIds.length === 0 || productIds.includes(productId));
  if (keys === undefined) return [];
  const within = sql`organization_id = ${organizationId}::uuid and product_id = any(${keys.map(({ productId }) => productId)}::uuid[])
    and day >= ${instantText(candidate.from)}::timestamptz and day < ${instantText(candidate.to)}::timestamptz`;
  const found = await rows<{ productId: string; start: number }>(sql`
    select product_id as "productId", extract(epoch from day)::float8 * 1000 as start from record_dirty_summary where ${within}
    union
    select product_id, extract(epoch from day)::float8 * 1000 from record_summary
    join unnest(${keys.map(({ productId }) => productId)}::uuid[], ${keys.map(({ slot }) => slot)}::int[]) k (product_id, key) using (product_id)
    where ${within} and not keys @> array[k.key]
    limit ${maxStale + 1}`);
  return found;
};
