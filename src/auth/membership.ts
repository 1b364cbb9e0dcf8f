import type { EntityManager } from '@mikro-orm/postgresql';
import sql, { type Sql } from 'sql-template-tag';
import { conflict, notFound } from '#common/errors.js';
import type { User } from '#entities/account.js';
import { isId } from '#entities/id.js';
import type { Context } from '#schema/context.js';
import { execute } from './execute.js';

/**
 * Loads a user whom the organization may add, or who is already its member. A disabled user is found only as a member.
 */
export async function loadUser(ctx: Context, organizationId: string, userId: string): Promise<User> {
  if (!isId(userId)) throw notFound('user');
  const [user] = await ctx.read<User>(sql`
    select u.id, u.username, u.name, u.type from account u
     where u.id = ${userId} and u.type = 'user'
       and (not u.disabled or exists (select from membership m where m.organization_id = ${organizationId} and m.user_id = u.id))`);
  if (user === undefined) throw notFound('user');
  return user;
}

/** Loads a member of the organization. */
export async function loadMember(ctx: Context, organizationId: string, userId: string): Promise<User> {
  if (!isId(userId)) throw notFound('member');
  const [user] = await ctx.read<User>(sql`
    select u.id, u.username, u.name, u.type from account u join membership m on m.user_id = u.id
     where u.id = ${userId} and m.organization_id = ${organizationId}`);
  if (user === undefined) throw notFound('member');
  return user;
}

/**
 * Locks the owners of the organization. When two owners remove each other at once, the locks make them run one after
 * the other, and the second finds itself alone.
 * @throws conflict (409) when the user is the only owner.
 */
export async function keepAnOwner(em: EntityManager, organizationId: string, userId: string): Promise<void> {
  requireOtherOwner(await execute<OwnerRow>(em, lockOwners(organizationId)), userId);
}

/** A row of {@link lockOwners}. */
export interface OwnerRow {
  userId: string;
}

/** Locks the owners of an organization and selects them. */
export const lockOwners = (organizationId: string): Sql => sql`
  select user_id as "userId" from membership
   where organization_id = ${organizationId} and role = 'owner' order by user_id for update`;

/** @throws conflict (409) when the user is the only owner. */
export function requireOtherOwner(owners: readonly OwnerRow[], userId: string): void {
  if (owners.length === 1 && owners[0]?.userId === userId) {
    throw conflict('An organization keeps at least one owner: make another member an owner first.');
  }
}
