import { randomBytes } from 'node:crypto';
import sql from 'sql-template-tag';
import { insertEvent, type NewEvent } from '#audit/event.js';
import { lockOwners, type OwnerRow, requireOtherOwner } from '#auth/membership.js';
import { isOpen, isStale, lifetime, touchSession } from '#auth/session-validity.js';
import { hashToken } from '#auth/token.js';
import { notFound } from '#common/errors.js';
import type { Queryable } from '#database/queryable.js';
import type { AuditChanges, AuditTarget } from '#entities/audit-event.js';
import type { Role } from '#entities/enums.js';
import { isId, newId } from '#entities/id.js';
import type { Read } from '#schema/context.js';

/** Maximum number of sessions of a person. A further sign-in ends the session that was used longest ago. */
export const sessionsOfPerson = 50;

/** A browser that signs in. */
export interface Visitor {
  address: string;
  userAgent: string | undefined;
  /** Identifier of the browser's request. */
  requestId: string;
}

/** Returns a secret value: 32 random bytes in base64url. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** Selects the memberships of a person, as `m`, without those of disabled organizations. */
const memberships = (userId: string) => sql`
  from membership m join account o on o.id = m.organization_id and not o.disabled where m.user_id = ${userId}`;

/**
 * Signs a person in, in the caller's transaction, and returns the value of the cookie. The session acts in the named
 * organization, else in the one that the person's latest session acts in, else in the oldest.
 * @param changes of the person's account, for the event
 */
export async function openSession(
  tx: Queryable,
  userId: string,
  visitor: Visitor,
  now: Date,
  { organizationId = null, changes }: { organizationId?: string | null; changes?: AuditChanges | undefined } = {},
): Promise<string> {
  // The lock runs a person's sign-ins one after the other, so that the count of sessions is right.
  await tx.query(sql`select from account where id = ${userId} for no key update`);
  await tx.query(sql`
    delete from session where id in (
      select id from session where user_id = ${userId} order by last_used_at desc, id desc offset ${sessionsOfPerson - 1})`);
  const { address, userAgent } = visitor;
  const value = newSecret();
  const expiresAt = new Date(now.getTime() + lifetime);
  const agent = userAgent?.slice(0, 500).toWellFormed().replaceAll('\0', '') ?? null;
  const { rows } = await tx.query<{ id: string; organizationId: string | null }>(sql`
    insert into session (id, hash, user_id, organization_id, created_at, last_used_at, expires_at, user_agent, address)
    values (${newId()}, ${hashToken(value)}, ${userId}, (
      select m.organization_id ${memberships(userId)}
       order by m.organization_id = ${organizationId}::uuid desc nulls last, (
         select max(s.last_used_at) from session s where s.user_id = m.user_id and s.organization_id = m.organization_id
       ) desc nulls last, m.created_at, m.organization_id limit 1),
      ${now}, ${now}, ${expiresAt}, ${agent}, ${address})
    returning id, organization_id as "organizationId"`);
  const { id, organizationId: actsIn } = rows[0]!;
  await noteByPerson(tx, value, visitor, {
    organizationId: actsIn,
    action: 'signIn',
    target: { kind: 'session', id },
    changes,
  });
  return value;
}

/**
 * Writes an audit event whose actor is the session with this cookie value. The target is the session itself or a
 * membership of its person, and gets the person's name.
 */
export async function noteByPerson(
  tx: Queryable,
  value: string,
  { address, requestId }: Visitor,
  { target, ...event }: Pick<NewEvent, 'organizationId' | 'action' | 'changes'> & { target: Omit<AuditTarget, 'name'> },
): Promise<void> {
  const { rows } = await tx.query<{ id: string; userId: string; userName: string }>(sql`
    select s.id, u.id as "userId", coalesce(u.name, u.username) as "userName"
      from session s join account u on u.id = s.user_id where s.hash = ${hashToken(value)}`);
  const person = rows[0]!;
  const about = { ...target, name: person.userName };
  await tx.query(insertEvent({ ...event, target: about, actor: { kind: 'session', ...person }, address, requestId }));
}

/** Ends a session by the value of its cookie, because another session begins in the same browser. */
export const endSession = (db: Queryable, value: string) =>
  db.query(sql`delete from session where hash = ${hashToken(value)}`);

/** Ends a session because its person signs out, with an event in the organization where it acts. */
export async function signOut(tx: Queryable, value: string, visitor: Visitor): Promise<void> {
  const which = sql`s.hash = ${hashToken(value)} and ${isOpen}`;
  const { rows } = await tx.query<{ id: string; organizationId: string | null }>(
    sql`select s.id, s.organization_id as "organizationId" from session s where ${which} for update`,
  );
  const [session] = rows;
  if (session === undefined) return;
  const target = { kind: 'session', id: session.id };
  await noteByPerson(tx, value, visitor, { organizationId: session.organizationId, action: 'signOut', target });
  await endSession(tx, value);
}

/** The person who is signed in, and the organizations where the session may act. */
export interface Person {
  userId: string;
  username: string;
  name: string | null;
  /** Organization in which the session acts; null if there is no valid one. */
  organizationId: string | null;
  organizations: { id: string; username: string; name: string | null; role: Role }[];
}

/** Finds the person of an open session by the value of its cookie, even if the session acts in no organization. */
export async function findPerson(read: Read, value: string): Promise<Person | undefined> {
  const hash = hashToken(value);
  const [person] = await read<Omit<Person, 'organizations'> & { stale: boolean }>(sql`
    select u.id as "userId", u.username, u.name, s.organization_id as "organizationId",
           ${isStale} as stale
      from session s join account u on u.id = s.user_id and not u.disabled where s.hash = ${hash} and ${isOpen}`);
  if (person === undefined) return undefined;
  if (person.stale) await touchSession(read, hash);
  const organizations = await read<Person['organizations'][number]>(sql`
    select o.id, o.username, o.name, m.role ${memberships(person.userId)} order by o.username limit 1000`);
  const { stale: _, organizationId, ...rest } = person;
  const acts = organizations.some(({ id }) => id === organizationId);
  return { ...rest, organizationId: acts ? organizationId : null, organizations };
}

/**
 * Lets a session act in another of the person's organizations, and writes an event there. The session gets a new
 * identifier, so that its subscriptions in the former organization end.
 * @throws notFound if the person is not a member
 */
export async function chooseOrganization(
  tx: Queryable,
  value: string,
  organizationId: string,
  visitor: Visitor,
): Promise<void> {
  const id = newId();
  const { rowCount } = isId(organizationId)
    ? await tx.query(sql`
        update session s set id = ${id}, organization_id = ${organizationId}, last_used_at = now()
         where s.hash = ${hashToken(value)} and ${isOpen} and exists (
           select from membership m join account o on o.id = m.organization_id and not o.disabled
            where m.organization_id = ${organizationId} and m.user_id = s.user_id)`)
    : { rowCount: 0 };
  if (rowCount === 0) throw notFound('organization');
  const target = { kind: 'session', id };
  await noteByPerson(tx, value, visitor, { organizationId, action: 'chooseOrganization', target });
}

/**
 * Removes a person from an organization. Their sessions in it continue in the oldest of their other organizations, or
 * in none; subscriptions end. Returns the role that the person had.
 * @throws notFound if the person is not a member, conflict for the last owner
 */
export async function leaveOrganization(tx: Queryable, userId: string, organizationId: string): Promise<Role> {
  if (!isId(organizationId)) throw notFound('organization');
  const { rows } = await tx.query<OwnerRow>(lockOwners(organizationId));
  requireOtherOwner(rows, userId);
  const others = sql`${memberships(userId)} and m.organization_id <> ${organizationId} order by m.created_at limit 1`;
  await tx.query(sql`
    update session set id = gen_random_uuid(), organization_id = (select m.organization_id ${others})
     where user_id = ${userId} and organization_id = ${organizationId}`);
  const { rows: left } = await tx.query<{ role: Role }>(
    sql`delete from membership where organization_id = ${organizationId} and user_id = ${userId} returning role`,
  );
  if (left[0] === undefined) throw notFound('organization');
  return left[0].role;
}
