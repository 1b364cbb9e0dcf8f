import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { forbidden } from '#common/errors.js';
import { Role } from '#entities/enums.js';
import type { OpenImport } from './import-row.js';

interface Standing {
  isOwner: boolean;
  isEnabled: boolean;
  isRevoked: boolean;
}

/**
 * Checks that the sender of a file may still import it: a member who is an owner, or the organization itself. A token
 * that has expired since does not end the work, because it was valid when the work was requested.
 * @throws ApiError 403
 */
export async function requireStillOwner(
  database: Pick<Pool, 'query'>,
  { organizationId, userId, tokenId }: Pick<OpenImport, 'organizationId' | 'userId' | 'tokenId'>,
): Promise<void> {
  const { rows } = await database.query<Standing>(sql`
    select ${userId}::uuid is null or coalesce(m.role = ${Role.owner}, false) as "isOwner",
           not o.disabled and not coalesce(u.disabled, false) as "isEnabled",
           t.revoked_at is not null as "isRevoked"
      from account o
      left join membership m on m.organization_id = o.id and m.user_id = ${userId}
      left join account u on u.id = m.user_id
      left join api_token t on t.id = ${tokenId}
     where o.id = ${organizationId}`);
  const standing = rows[0];
  if (!standing?.isOwner) throw forbidden('The account that sent this file is no longer an owner of the organization.');
  if (!standing.isEnabled) throw forbidden('The account that sent this file is disabled.');
  if (standing.isRevoked)
    throw forbidden('The token that this file was sent with is revoked: apply it with another one.');
}
