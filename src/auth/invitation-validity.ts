import sql, { type Sql } from 'sql-template-tag';

/**
 * Condition on `invitation i`: its time is not over, and whoever invited may still do so. An invitation of an owner ends
 * when they are no longer an owner, so that nobody who was removed comes back by an invitation of their own. One that a
 * token of the organization made has no such person.
 */
export const isOpenInvitation: Sql = sql`i.expires_at > now() and (i.created_by is null or exists (
  select from membership m join account u on u.id = m.user_id and not u.disabled
   where m.organization_id = i.organization_id and m.user_id = i.created_by and m.role = 'owner'))`;
