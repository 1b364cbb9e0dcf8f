import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { isId } from '#entities/id.js';
import { withEvents } from './event.js';

/**
 * Publishes a product to all organizations, or withdraws it. After a withdrawal, other organizations whose devices use
 * the product keep seeing it as it was at that time (`product.withdrawn`).
 */
export async function setPublic(db: Queryable, id: string, isPublic: boolean, at: Date): Promise<void> {
  const { rows } = isId(id)
    ? await db.query<{ organizationId: string; name: string; before: boolean }>(sql`
        select organization_id as "organizationId", name, public as before from product where id = ${id}`)
    : { rows: [] };
  const [found] = rows;
  if (found === undefined) throw new Error(`There is no product ${id}.`);
  const { organizationId, name, before } = found;
  const updated = sql`
    update product set public = ${isPublic}, updated_at = greatest(${at}, updated_at + interval '1 ms'), withdrawn = case
      when ${isPublic} then null
      when public then jsonb_build_object('name', name, 'slug', slug, 'version', version, 'variables', variables, 'settings', settings, 'updatedAt', ${at}::timestamptz(3))
      else withdrawn end
     where id = ${id}`;
  await db.query(
    withEvents(updated, {
      organizationId,
      action: `product ${isPublic ? 'publish' : 'unpublish'}`,
      target: { kind: 'product', id, name },
      changes: before === isPublic ? {} : { public: [before, isPublic] },
    }),
  );
}
