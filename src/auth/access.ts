import sql, { empty, type Sql } from 'sql-template-tag';
import { forbidden, notFound } from '#common/errors.js';
import type { Account } from '#entities/account.js';
import { Application } from '#entities/application.js';
import type { Caller } from '#entities/caller.js';
import { Device } from '#entities/device.js';
import { Permission, Role } from '#entities/enums.js';
import { isId } from '#entities/id.js';
import { Product } from '#entities/product.js';
import { Team } from '#entities/team.js';
import type { Context } from '#schema/context.js';
import type { SelectedFields } from '#schema/selected-fields.js';
import { accountRows, applicationRows, deviceRows, productRows, teamRows } from './rows.js';

/**
 * The access that a call needs to an object: read it, change it (`write`), or do what only owners of the organization
 * may (`own`). Only applications distinguish `write` from `own`, as teams grant `write` to members.
 */
export type Need = 'read' | 'write' | 'own';

/** Whether the caller is an owner of its organization, or acts as one. */
export const isOwner = (caller: Caller): boolean => caller.role === Role.owner;

const ownersOnly = 'Only owners of the organization may do this: ask one of them.';
/** Error message for a caller who may read an application but not change it. */
export const writersOnly =
  'This takes the permission "write" on the application: ask an owner of the organization for it.';

/** Checks that the caller belongs to the organization (otherwise 404) and has the permission in it (otherwise 403). */
export function requireOrganization({ caller }: Pick<Context, 'caller'>, organizationId: string, need: Need): void {
  if (organizationId !== caller.organizationId) throw notFound('organization');
  if (need !== 'read' && !isOwner(caller)) throw forbidden(ownersOnly);
}

/** Loads the account of the caller's organization. */
export async function loadAccount(ctx: Context): Promise<Account> {
  const [account] = await ctx.read<Account>(sql`${accountRows} where o.id = ${ctx.caller.organizationId}`);
  if (account === undefined) throw notFound('account');
  return account;
}

/** Loads a team of the caller's organization. */
export async function loadTeam(ctx: Context, organizationId: string, id: string, need: Need): Promise<Team> {
  const row = await find<Team>(
    ctx,
    organizationId,
    id,
    'team',
    sql`${teamRows()} where t.organization_id = ${organizationId} and t.id = ${id}`,
  );
  if (need === 'read') return row;
  if (!isOwner(ctx.caller)) throw forbidden(ownersOnly);
  return ctx.em.merge(Team, row);
}

/**
 * Loads a product of the named organization: the caller's own, or a public one. Only its owner may change it.
 * @param selected columns to load, for `read` only; all columns without it
 */
export async function loadProduct(
  ctx: Context,
  organizationId: string,
  id: string,
  need: Need,
  selected?: SelectedFields,
): Promise<Product> {
  if (!isId(organizationId) || !isId(id)) throw notFound('product');
  const [row] = await ctx.read<Product>(sql`
    ${productRows(ctx.caller, selected)} where p.organization_id = ${organizationId} and p.id = ${id} and ${readableProduct(ctx.caller)}`);
  if (row === undefined) throw notFound('product');
  if (need === 'read') return row;
  if (organizationId !== ctx.caller.organizationId)
    throw forbidden('Only the organization that owns a product may change it.');
  if (!isOwner(ctx.caller)) throw forbidden(ownersOnly);
  return ctx.em.merge(Product, row);
}

/**
 * Returns the product with the identifier in a request body: the organization's own or a public one. If the body names
 * an organization, the product must belong to it.
 */
export async function referredProduct(
  ctx: Context,
  { id, organizationId }: { id: string; organizationId?: string | null },
): Promise<{ id: string; organizationId: string }> {
  if (!isId(id) || (organizationId != null && !isId(organizationId))) throw notFound('product');
  const [row] = await ctx.read<{ id: string; organizationId: string }>(sql`
    select p.id, p.organization_id as "organizationId" from product p where p.id = ${id} and ${readableProduct(ctx.caller)}
      ${organizationId == null ? empty : sql`and p.organization_id = ${organizationId}`}`);
  if (row === undefined) throw notFound('product');
  return row;
}

/**
 * Loads a device of the caller's organization that the caller can read.
 * @param selected columns to load, for `read` only; all columns without it
 */
export async function loadDevice(
  ctx: Context,
  organizationId: string,
  id: string,
  need: Need,
  selected?: SelectedFields,
): Promise<Device> {
  const row = await find<Device>(
    ctx,
    organizationId,
    id,
    'device',
    sql`${deviceRows(ctx.caller, selected)} where d.organization_id = ${organizationId} and d.id = ${id} and ${readableDevice(ctx.caller)}`,
  );
  if (need === 'read') return row;
  if (!isOwner(ctx.caller)) throw forbidden(ownersOnly);
  return ctx.em.merge(Device, row);
}

/** Loads an application of the caller's organization that the caller can read, with the caller's permission on it. */
export async function loadApplication(
  ctx: Context,
  organizationId: string,
  id: string,
  need: Need,
): Promise<Application> {
  const row = await find<Application>(
    ctx,
    organizationId,
    id,
    'application',
    sql`${applicationRows(ctx.caller)} where a.organization_id = ${organizationId} and a.id = ${id} and ${readableApplication(ctx.caller)}`,
  );
  if (need === 'read') return row;
  if (need === 'own' && !isOwner(ctx.caller)) throw forbidden(ownersOnly);
  if (row.permission !== Permission.write) throw forbidden(writersOnly);
  return ctx.em.merge(Application, row);
}

/** Returns the condition that the caller can read `application a`. */
export const readableApplication = (caller: Caller): Sql => {
  if (isOwner(caller)) return sql`true`;
  if (caller.applicationId !== null) return sql`a.id = ${caller.applicationId}`;
  return sql`exists (select from team_application ta join team_member tm using (team_id)
                      where ta.application_id = a.id and tm.user_id = ${caller.userId})`;
};

/** Returns the condition that the caller may change `application a`, and so read its hooks and deliveries. */
export const writableApplication = (caller: Caller): Sql => {
  if (isOwner(caller)) return sql`true`;
  if (caller.applicationId !== null) return sql`false`;
  return sql`exists (select from team_application ta join team_member tm using (team_id)
                      where ta.application_id = a.id and tm.user_id = ${caller.userId} and ta.permission = 'write')`;
};

/**
 * Returns the condition that the caller can read `device d`, as an owner or through an application that it is linked
 * to.
 */
export const readableDevice = (caller: Caller): Sql => {
  if (isOwner(caller)) return sql`true`;
  if (caller.applicationId !== null)
    return sql`exists (select from application_device ad where ad.device_id = d.id and ad.application_id = ${caller.applicationId})`;
  return sql`exists (select from application_device ad join team_application ta using (application_id) join team_member tm using (team_id)
                      where ad.device_id = d.id and tm.user_id = ${caller.userId})`;
};

/** Returns the condition that `product p` belongs to the caller's organization or is public. */
export const readableProduct = (caller: Caller): Sql => sql`(p.organization_id = ${caller.organizationId} or p.public)`;

/** Reads one row of the caller's organization. Every reason for its absence gives the same 404. */
async function find<Row extends object>(
  ctx: Context,
  organizationId: string,
  id: string,
  what: string,
  query: Sql,
): Promise<Row> {
  if (organizationId !== ctx.caller.organizationId || !isId(id)) throw notFound(what);
  const [row] = await ctx.read<Row>(query);
  if (row === undefined) throw notFound(what);
  return row;
}
