import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { isId } from '#entities/id.js';
import { withEvents } from './event.js';

/**
 * Sets how long records of an organization, or of one of its products, are kept, in milliseconds; null keeps them
 * forever.
 */
export async function setRetention(
  db: Queryable,
  { organizationId, productId }: { organizationId: string; productId: string | null },
  keep: number | null,
): Promise<void> {
  if (!isId(organizationId) || !(await exists(db, organizationId)))
    throw new Error(`There is no organization ${organizationId}.`);
  if (productId !== null && !(isId(productId) && (await mayUse(db, organizationId, productId))))
    throw new Error(`The organization has no product ${productId}.`);
  const { rows } = await db.query<{ keep: number | null }>(sql`
    select (extract(epoch from keep) * 1000)::float8 as keep from record_retention
     where organization_id = ${organizationId} and product_id is not distinct from ${productId}::uuid`);
  const stored = sql`
    insert into record_retention (organization_id, product_id, keep)
    values (${organizationId}, ${productId}, make_interval(secs => ${keep === null ? null : keep / 1000}))
    on conflict (organization_id, product_id) do update set keep = excluded.keep`;
  await db.query(
    withEvents(stored, {
      organizationId,
      action: 'retention set',
      target: { kind: productId === null ? 'organization' : 'product', id: productId ?? organizationId, name: null },
      changes: { keepMilliseconds: [rows[0]?.keep ?? null, keep] },
    }),
  );
}

const exists = async (db: Queryable, id: string): Promise<boolean> => {
  const { rowCount } = await db.query(sql`select from account where id = ${id} and type = 'organization'`);
  return rowCount === 1;
};

/** Whether the organization's devices may use a product: its own, or a public one. */
const mayUse = async (db: Queryable, organizationId: string, productId: string): Promise<boolean> => {
  const { rowCount } = await db.query(sql`
    select from product where id = ${productId} and (organization_id = ${organizationId} or public)`);
  return rowCount === 1;
};
