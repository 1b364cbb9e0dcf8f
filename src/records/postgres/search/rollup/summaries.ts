import sql, { empty } from 'sql-template-tag';
import type { Rows } from '#records/scope/snapshot-reader.js';
import { instantText } from '#search/query/option/instant.js';
import { type Candidate, isByDay, keysOf, maxDays } from './eligible.js';
import type { Stale } from './rollup-range.js';

/** State of the daily summaries. */
export interface Summaries {
  /** Days of products whose rows for the candidate are missing or stale; at most one more than the limit. */
  readonly stale: readonly Stale[];
  /** Number of days of each product that have digests or sketches; empty if these are not needed. */
  readonly days: ReadonlyMap<string | null, number>;
}

/** Summaries of a candidate that needs nothing kept by the day. */
const noSummaries: Summaries = { stale: [], days: new Map() };

/** Reads the state of the daily summaries that a candidate needs. */
export const findSummaries = async (
  rows: Rows,
  { organizationId, productIds }: { organizationId: string; productIds: readonly string[] },
  candidate: Candidate,
): Promise<Summaries> => {
  if (!isByDay(candidate)) return noSummaries;
  const keys = keysOf(candidate) ?? [];
  const ofScope = productIds.length === 0 ? empty : sql` and product_id = any(${productIds}::uuid[])`;
  const within = sql`organization_id = ${organizationId}::uuid${ofScope}
    and day >= ${instantText(candidate.from)}::timestamptz and day < ${instantText(candidate.to)}::timestamptz`;
  const unsketched = candidate.sketches
    ? sql`union select product_id, extract(epoch from day)::float8 * 1000 from record_summary where ${within} and not sketched`
    : empty;
  const [stale, days] = await Promise.all([
    rows<Stale>(sql`
      select product_id as "productId", extract(epoch from day)::float8 * 1000 as start from record_dirty_summary where ${within}
      union
      select product_id, extract(epoch from day)::float8 * 1000 from record_summary
      join unnest(${keys.map(({ productId }) => productId)}::uuid[], ${keys.map(({ slot }) => slot)}::int[]) k (product_id, key) using (product_id)
      where ${within} and not keys @> array[k.key]
      ${unsketched}
      limit ${maxDays(candidate) + 1}`),
    candidate.digests || candidate.sketches
      ? rows<{ productId: string; days: number }>(
          sql`select product_id as "productId", count(*)::int as days from record_summary where ${within} group by 1`,
        )
      : [],
  ]);
  return { stale, days: new Map(days.map(({ productId, days: count }) => [productId, count])) };
};
