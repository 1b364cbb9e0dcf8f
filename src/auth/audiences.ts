import sql, { type Sql } from 'sql-template-tag';
import type { Caller } from '#entities/caller.js';
import { Role } from '#entities/enums.js';

/**
 * The access that a call needs: to read, to change an application (`write`), or to act as an owner of the organization
 * (`own`).
 */
export type Need = 'read' | 'write' | 'own';

/** A group of callers within one organization. `policies.ts` says what each group may do. */
export interface Audience<Of extends Scope = Scope> {
  /** The thing that decides whether a caller is in the group. */
  readonly of: Of;
  /** Least access of the group to its organization or application. */
  readonly need: Need;
  /** Returns the condition that the caller is in the group, on the row of the scope: `product p`, `application a`,
   * `device d`, `site s` or `session s`. */
  readonly has: (caller: Caller) => Sql;
}

type Scope = 'organization' | 'product' | 'application' | 'device' | 'site' | 'session';

/** Whether the caller is an owner of its organization, or acts as one. */
export const isOwner = (caller: Caller): boolean => caller.role === Role.owner;

/** Everyone who acts in the organization. */
export const members: Audience<'organization'> = { of: 'organization', need: 'read', has: () => sql`true` };

/** The owners of the organization, and the organization itself. */
export const owners: Audience<'organization'> = {
  of: 'organization',
  need: 'own',
  has: (caller) => sql`${isOwner(caller)}`,
};

/** The members of the organization that owns the product; everyone if the product is public. */
export const usersOfProduct: Audience<'product'> = {
  of: 'product',
  need: 'read',
  has: ({ organizationId }) => sql`(p.organization_id = ${organizationId} or p.public)`,
};

/** Owners, members of a team with access to the application, and the application's own links. */
export const readers: Audience<'application'> = {
  of: 'application',
  need: 'read',
  has: (caller) => {
    if (isOwner(caller)) return sql`true`;
    if (caller.applicationId !== null) return sql`a.id = ${caller.applicationId}`;
    return sql`exists (select from team_application ta join team_member tm using (team_id)
                      where ta.application_id = a.id and tm.user_id = ${caller.userId})`;
  },
};

/** Owners, and members of a team with the permission `write` on the application. */
export const writers: Audience<'application'> = {
  of: 'application',
  need: 'write',
  has: (caller) => {
    if (isOwner(caller)) return sql`true`;
    if (caller.applicationId !== null) return sql`false`;
    return sql`exists (select from team_application ta join team_member tm using (team_id)
                      where ta.application_id = a.id and tm.user_id = ${caller.userId} and ta.permission = 'write')`;
  },
};

/** Owners, and the readers of an application that the device is linked to. */
export const readersOfDevice: Audience<'device'> = {
  of: 'device',
  need: 'read',
  has: (caller) => {
    if (isOwner(caller)) return sql`true`;
    if (caller.applicationId !== null)
      return sql`exists (select from application_device ad where ad.device_id = d.id and ad.application_id = ${caller.applicationId})`;
    return sql`exists (select from application_device ad join team_application ta using (application_id) join team_member tm using (team_id)
                      where ad.device_id = d.id and tm.user_id = ${caller.userId})`;
  },
};

/** Owners, and the members with the permission `write` on an application that the device is linked to. */
export const writersOfDevice: Audience<'device'> = {
  of: 'device',
  need: 'write',
  has: (caller) => {
    if (isOwner(caller)) return sql`true`;
    if (caller.applicationId !== null) return sql`false`;
    return sql`exists (select from application_device ad join team_application ta using (application_id) join team_member tm using (team_id)
                      where ad.device_id = d.id and tm.user_id = ${caller.userId} and ta.permission = 'write')`;
  },
};

/** Owners, and those who can read a device that is at the site or below it now. */
export const readersOfSite: Audience<'site'> = {
  of: 'site',
  need: 'read',
  has: (caller) => {
    if (isOwner(caller)) return sql`true`;
    const links =
      caller.applicationId !== null
        ? sql`application_device ad where ad.application_id = ${caller.applicationId}`
        : sql`application_device ad join team_application ta using (application_id) join team_member tm using (team_id)
              where tm.user_id = ${caller.userId}`;
    // Read once for all sites of a list.
    return sql`s.id = any(array(select unnest(b.path) from site b where b.id = any(array(
      select distinct ds.site_id from device_site ds where ds.ended_at is null and ds.organization_id = ${caller.organizationId}
         and ds.device_id in (select ad.device_id from ${links})))))`;
  },
};

/**
 * The person whose session it is. A token only reaches sessions of its own organization, because an owner of that
 * organization may have made the token.
 */
export const itsPerson: Audience<'session'> = {
  of: 'session',
  need: 'read',
  has: ({ userId, bySession, organizationId }) =>
    bySession
      ? sql`s.user_id = ${userId}`
      : sql`(s.user_id = ${userId}::uuid and s.organization_id = ${organizationId})`,
};

/**
 * Returns the caller's permission on the application `a`, the highest of several teams' grants. The constant has a
 * type, as PostgreSQL refuses to order by an untyped constant.
 */
export const applicationPermission = ({ role, applicationId, userId }: Caller): Sql => {
  if (role === Role.owner) return sql`'write'::text`;
  if (applicationId !== null) return sql`'read'::text`;
  return sql`(select max(g.permission) from team_application g join team_member tm using (team_id)
               where g.application_id = a.id and tm.user_id = ${userId})`;
};
