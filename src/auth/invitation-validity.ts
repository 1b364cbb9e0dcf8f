import sql, { type Sql } from 'sql-template-tag';

/**
 * Condition on `invitation i`: it has not expired, and its author may still invite. The invitations of an owner end
 * when the person is no longer an owner, so that a removed owner cannot come back by an invitation of their own. An
 * invitation that a token of the organization created has no author.
 */
export const isOpenInvitation: Sql = sql`i.expires_at > now() and (i.created_by is null or exists (
  select from membership m join account u on u.id = m.user_id and not u.disabled
   where m.organization_id = i.organization_id and m.user_id = i.created_by and m.role = 'owner'))`;
