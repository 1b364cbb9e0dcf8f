import sql, { type Sql } from 'sql-template-tag';
import { nilId } from '../../../../entities/id.js';
import { instantText } from '../../../../search/query/option/instant.js';
import type { Stale, Whose } from './range.js';

/** Stands for no product where a null would compare with nothing. */
export const noProduct = nilId;

/** Rows of an organization's products. */
export const ofProducts = (
  alias: Sql,
  { organizationId }: Pick<Whose, 'organizationId'>,
  products: readonly (string | null)[],
): Sql => {
  const some = sql`${alias}.product_id = any(${products.filter((id) => id !== null)}::uuid[])`;
  const either = products.includes(null) ? sql`(${some} or ${alias}.product_id is null)` : some;
  return sql`${alias}.organization_id = ${organizationId}::uuid and ${either}`;
};

/** Rows of product and moment. */
export const listOf = (stale: readonly Stale[]): Sql =>
  sql`unnest(${stale.map(({ productId }) => productId ?? noProduct)}::uuid[], ${stale.map(({ start }) => instantText(start))}::timestamptz[])`;

/** From the first of some stretches to the end of the last: constants, by which PostgreSQL leaves out what is beyond before it begins. */
export const around = (stale: readonly Stale[], length: number): { from: string; to: string } => {
  const starts = stale.map(({ start }) => start);
  return { from: instantText(Math.min(...starts)), to: instantText(Math.max(...starts) + length) };
};
