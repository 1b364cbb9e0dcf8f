import sql from 'sql-template-tag';
import { isId } from '../entities/id.js';
import type { Connection } from './account.js';

/** Shows a product to every organization, or to its own alone again. */
export async function setPublic(db: Connection, id: string, isPublic: boolean, at: Date): Promise<void> {
  const { rowCount } = isId(id)
    ? await db.query(sql`update product set public = ${isPublic}, updated_at = ${at} where id = ${id}`)
    : { rowCount: 0 };
  if (rowCount === 0) throw new Error(`There is no product ${id}.`);
}
