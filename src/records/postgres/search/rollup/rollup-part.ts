import sql, { type Sql } from 'sql-template-tag';
import { nilId } from '#entities/id.js';
import { instantText } from '#search/query/option/instant.js';
import type { Stale, Whose } from './rollup-range.js';

/** Nil UUID in place of a null product: in SQL, no comparison with null is true. */
export const noProduct = nilId;

/** Condition on the rows of an organization's products; null stands for no product. */
export const ofProducts = (
  alias: Sql,
  { organizationId }: Pick<Whose, 'organizationId'>,
  products: readonly (string | null)[],
): Sql => {
  const some = sql`${alias}.product_id = any(${products.filter((id) => id !== null)}::uuid[])`;
  const either = products.includes(null) ? sql`(${some} or ${alias}.product_id is null)` : some;
  return sql`${alias}.organization_id = ${organizationId}::uuid and ${either}`;
};

/** Rows of product and start time. */
export const staleTable = (stale: readonly Stale[]): Sql =>
  sql`unnest(${stale.map(({ productId }) => productId ?? noProduct)}::uuid[], ${stale.map(({ start }) => instantText(start))}::timestamptz[])`;

/**
 * Returns the span from the first start to the end of the last. As constants in the statement, both let PostgreSQL skip
 * partitions outside of it before execution begins.
 */
export const spanOfStale = (stale: readonly Stale[], length: number): { from: string; to: string } => {
  const starts = stale.map(({ start }) => start);
  return { from: instantText(Math.min(...starts)), to: instantText(Math.max(...starts) + length) };
};
