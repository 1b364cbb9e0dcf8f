import sql from 'sql-template-tag';
import { isId } from '../entities/id.js';
import type { Connection } from './account.js';

/**
 * Shows a product to every organization, or to its own alone again: then others whose devices use it keep seeing it as it is
 * at this time (`product.withdrawn`).
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
