import sql, { empty } from 'sql-template-tag';
import { isOpenInvitation } from '#auth/invitation-validity.js';
import type { AuditChanges } from '#entities/audit-event.js';
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

/** Finds the invitation of a link, unless it has ended or its organization is disabled. */
export async function findInvitation(
  db: Database,
  hash: Buffer,
  { lock = false } = {},
): Promise<OpenInvitation | undefined> {
  const { rows } = await db.query<OpenInvitation>(sql`
    select i.id, i.organization_id as "organizationId", coalesce(o.name, o.username) as organization, i.role
      from invitation i join account o on o.id = i.organization_id and not o.disabled
     where i.hash = ${hash} and ${isOpenInvitation} ${lock ? sql`for update of i` : empty}`);
  return rows[0];
}

/**
 * Makes a person a member by a locked invitation, and ends the invitation. An existing member keeps the higher role.
 * Deleted teams are skipped. Returns the changes, for the event.
 */
export async function acceptInvitation(
  tx: Database,
  { id, organizationId, role }: OpenInvitation,
  userId: string,
  now: Date,
): Promise<AuditChanges> {
  const { rowCount: isNew } = await tx.query(sql`
    insert into membership (organization_id, user_id, role, created_at) values (${organizationId}, ${userId}, ${role}, ${now})
    on conflict (organization_id, user_id) do nothing`);
  const { rowCount: isRaised } = await tx.query(sql`
    update membership set role = ${role}
     where organization_id = ${organizationId} and user_id = ${userId} and role = 'member' and ${role} = 'owner'`);
  const { rows: teams } = await tx.query<{ id: string }>(sql`
    insert into team_member (organization_id, team_id, user_id)
    select t.organization_id, t.id, ${userId}::uuid from invitation i
      join team t on t.organization_id = i.organization_id and t.id = any(i.team_ids)
     where i.id = ${id} order by t.id
    on conflict do nothing returning team_id as id`);
  await tx.query(sql`delete from invitation where id = ${id}`);
  return {
    invitationId: [id, null],
    ...(isNew ? { role: [null, role] } : isRaised ? { role: ['member', role] } : {}),
    ...(teams.length > 0 && { teamIds: [null, teams.map((team) => team.id)] }),
  };
}
