import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { Role } from '../entities/enums.js';
import { forbidden } from '../errors.js';

/** Whoever sent a file must still be an owner of the organization: a member, or the organization itself. */
export async function requireStillOwner(
  database: Pick<Pool, 'query'>,
  organizationId: string,
  userId: string | null,
): Promise<void> {
  if (userId === null) return;
  const { rows } = await database.query<{ role: Role }>(sql`
    select role from membership where organization_id = ${organizationId} and user_id = ${userId}`);
  if (rows[0]?.role !== Role.owner) throw forbidden('Who sent this file is no longer an owner of the organization.');
}
