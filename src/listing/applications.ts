import sql, { empty, type Sql } from 'sql-template-tag';
import { applicationPermission } from '#auth/audiences.js';
import { can, policies } from '#auth/policies.js';
import { applicationRows } from '#auth/rows.js';
import type { Application } from '#entities/application.js';
import type { Caller } from '#entities/caller.js';
import type { Context } from '#schema/context.js';
import type { SearchablePageArgs } from '#schema/list.args.js';
import type { Page } from '#schema/page.js';
import { ignoringCase, listBelow } from './list.js';
import type { Listing } from './list-read.js';

/** A selection of applications `a`: joined tables, conditions and the default order. */
export interface Which {
  joined?: Sql;
  where: readonly Sql[];
  order: Sql;
}

/** A selection that may be listed below many parents together. */
export type WhichBelow = Which & Pick<Listing, 'parent'>;

/**
 * Returns the applications that a device is linked to and that the caller can read. All devices of a call share one
 * pair of statements.
 */
export const applicationsOfDevice = (
  ctx: Context,
  deviceId: string,
  args: SearchablePageArgs,
): Promise<Page<Application>> => {
  const listing = () => linkedListing(ctx.caller, sql`application_device`, { parent: sql`l.device_id`, where: [] });
  return listBelow(ctx, 'device.applications', deviceId, listing, args);
};

/**
 * Defines the list of applications that a team gives access to and that the caller can read.
 * @param teamId the team; absent: the list is read below teams
 */
export const teamApplicationListing = (caller: Caller, teamId?: string): Listing => {
  const where = teamId === undefined ? [] : [sql`l.team_id = ${teamId}`];
  return linkedListing(caller, sql`team_application`, { parent: sql`l.team_id`, where });
};

/** Defines a list of readable applications in the order in which the table of links, as `l`, got them. */
const linkedListing = (
  caller: Caller,
  links: Sql,
  { parent, where }: { parent: Sql; where: readonly Sql[] },
): Listing =>
  applicationListing(caller, {
    joined: sql`join ${links} l on l.application_id = a.id`,
    parent,
    where: [...where, can(caller, policies.application.read)],
    order: sql`l.created_at`,
  });

/** Defines a list of applications with the caller's permission on each. */
export const applicationListing = (caller: Caller, { joined = empty, order, ...which }: WhichBelow): Listing => ({
  rows: (selected, also) => sql`${applicationRows(caller, selected, also)} ${joined}`,
  from: sql`from application a ${joined}`,
  ...which,
  matched: [sql`a.name`, sql`a.slug`, sql`a.description`],
  sortable: {
    id: sql`a.id`,
    organizationId: sql`a.organization_id`,
    name: ignoringCase(sql`a.name`),
    slug: ignoringCase(sql`a.slug`),
    description: ignoringCase(sql`a.description`),
    permission: applicationPermission(caller),
    createdAt: sql`a.created_at`,
    updatedAt: sql`a.updated_at`,
  },
  order,
  tie: sql`a.id`,
});
