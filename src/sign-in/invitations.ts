import sql, { empty } from 'sql-template-tag';
import type { Role } from '#entities/enums.js';
import type { Database } from './sessions.js';

/** An invitation, as everyone who has its link sees it. */
export interface OpenInvitation {
  id: string;
  organizationId: string;
  /** Name of the organization. */
  organization: string;
  role: Role;
}

/** Finds the invitation of a link, unless it has expired or its organization is disabled. */
export async function findInvitation(
  db: Database,
  hash: Buffer,
  { lock = false } = {},
): Promise<OpenInvitation | undefined> {
  const { rows } = await db.query<OpenInvitation>(sql`
    select i.id, i.organization_id as "organizationId", coalesce(o.name, o.username) as organization, i.role
      from invitation i join account o on o.id = i.organization_id and not o.disabled
     where i.hash = ${hash} and i.expires_at > now() ${lock ? sql`for update of i` : empty}`);
  return rows[0];
}

/**
 * Makes a person a member by a locked invitation, and ends the invitation. An existing member keeps the higher role.
 * Deleted teams are skipped.
 */
export async function acceptInvitation(
  tx: Database,
  { id, organizationId, role }: OpenInvitation,
  userId: string,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into membership (organization_id, user_id, role, created_at) values (${organizationId}, ${userId}, ${role}, ${now})
    on conflict (organization_id, user_id) do update set role = 'owner' where excluded.role = 'owner'`);
  await tx.query(sql`
    insert into team_member (organization_id, team_id, user_id)
    select t.organization_id, t.id, ${userId}::uuid from invitation i
      join team t on t.organization_id = i.organization_id and t.id = any(i.team_ids) where i.id = ${id}
    on conflict do nothing`);
  await tx.query(sql`delete from invitation where id = ${id}`);
}
