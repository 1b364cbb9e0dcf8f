import sql from 'sql-template-tag';
import { isId } from '../entities/id.js';
import type { Connection } from './account.js';

/**
 * Publishes a product to all organizations, or withdraws it. After a withdrawal, other organizations whose devices use
 * the product keep seeing it as it was at that time (`product.withdrawn`).
 */
export async function setPublic(db: Connection, id: string, isPublic: boolean, at: Date): Promise<void> {
  const { rowCount } = isId(id)
    ? await db.query(sql`
        update product set public = ${isPublic}, updated_at = ${at}, withdrawn = case
          when ${isPublic} then null
          when public then jsonb_build_object('name', name, 'slug', slug, 'version', version, 'variables', variables, 'updatedAt', ${at}::timestamptz(3))
          else withdrawn end
         where id = ${id}`)
    : { rowCount: 0 };
  if (rowCount === 0) throw new Error(`There is no product ${id}.`);
}
