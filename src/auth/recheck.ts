import sql from 'sql-template-tag';
import { forbidden, notFound, unauthenticated } from '#common/errors.js';
import type { Permission, Role } from '#entities/enums.js';
import type { Read } from '#schema/context.js';
import { writersOnly } from './access.js';
import { roleOfToken, validTokens } from './authenticate.js';
import { isAllowedOn, policies } from './policies.js';
import { validSessions } from './session-validity.js';

/**
 * Access that a token or session was granted: to read an application, to change the application of a hook, or, without
 * either, to its organization.
 */
export interface AccessClaim {
  readonly tokenId: string;
  /** The bearer's role when access was granted. */
  readonly role: Role;
  readonly applicationId: string | null;
  readonly hookId: string | null;
}

/**
 * Creates the check of whether claims still hold, in one statement for all. It returns, for each claim, the error that
 * a call with the same token or session would get now:
 *
 * - 401 when the token or session, its member or its organization is no longer valid,
 * - 404 when the application or hook is gone or no longer readable,
 * - 403 when the application or hook may no longer be changed, or the bearer's role has changed.
 */
export const createRecheck =
  (read: Read) =>
  async (claims: readonly AccessClaim[]): Promise<(Error | undefined)[]> => {
    const rows = await read<Standing>(sql`
      select c.role, h.id is not null or w.hook_id is null as hooked,
             case when a.id is null then null when c.role = 'owner' then 'write'
                  when c.application_id is not null then case when c.application_id = a.id then 'read' end
                  else (select max(g.permission) from team_application g join team_member tm using (team_id)
                         where g.application_id = a.id and tm.user_id = c.user_id) end as permission
        from unnest(${claims.map(({ tokenId }) => tokenId)}::uuid[], ${claims.map(({ applicationId }) => applicationId)}::uuid[],
                    ${claims.map(({ hookId }) => hookId)}::uuid[]) with ordinality w (token_id, application_id, hook_id, place)
        left join lateral (
          select t.organization_id, t.user_id, t.application_id, ${roleOfToken} as role ${validTokens} and t.id = w.token_id
           union all
          select s.organization_id, s.user_id, null, m.role ${validSessions} and s.id = w.token_id) c on true
        left join application a on a.id = w.application_id and a.organization_id = c.organization_id
        left join hook h on h.id = w.hook_id and h.application_id = a.id
       order by w.place`);
    return claims.map((claim, index) => faultOf(rows[index]!, claim));
  };

interface Standing {
  role: Role | null;
  hooked: boolean;
  permission: Permission | null;
}

function faultOf({ role, hooked, permission }: Standing, claim: AccessClaim): Error | undefined {
  if (role === null) return unauthenticated();
  if (role !== claim.role) return forbidden('Your role in the organization has changed: subscribe again.');
  if (claim.applicationId === null) return undefined;
  if (permission === null) return notFound('application');
  const audience = claim.hookId === null ? policies.application.read : policies.delivery.read;
  if (!isAllowedOn({ permission }, audience)) return forbidden(writersOnly);
  return hooked ? undefined : notFound('hook');
}
