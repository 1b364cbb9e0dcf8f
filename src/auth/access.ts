import sql, { empty, type Sql } from 'sql-template-tag';
import type { Account } from '../entities/account.js';
import { Application } from '../entities/application.js';
import type { Caller } from '../entities/caller.js';
import { Device } from '../entities/device.js';
import { Permission, Role } from '../entities/enums.js';
import { isId } from '../entities/id.js';
import { Product } from '../entities/product.js';
import { Team } from '../entities/team.js';
import { forbidden, notFound } from '../errors.js';
import type { Context } from '../schema/context.js';
import type { SelectedFields } from '../schema/selected-fields.js';
import { accountRows, applicationRows, deviceRows, productRows, teamRows } from './rows.js';

/**
 * What a call needs of a thing: to read it, to change it, or to own it, which only owners of the organization do.
 * Only applications tell `write` from `own`: teams give `write` to members.
 */
export type Need = 'read' | 'write' | 'own';

/** Whether the caller is, or acts as, an owner of its organization. */
export const isOwner = (caller: Caller): boolean => caller.role === Role.owner;

const ownersOnly = 'Only owners of the organization may do this: ask one of them.';
/** What is said to who may read an application, but not change it. */
export const writersOnly =
  'This takes the permission "write" on the application: ask an owner of the organization for it.';

/** Lets pass who belongs to the organization (else 404) and may do this in it (else 403). */
export function requireOrganization({ caller }: Pick<Context, 'caller'>, organizationId: string, need: Need): void {
  if (organizationId !== caller.organizationId) throw notFound('organization');
  if (need !== 'read' && !isOwner(caller)) throw forbidden(ownersOnly);
}

/** The account of the caller's organization. */
export async function loadAccount(ctx: Context): Promise<Account> {
  const [account] = await ctx.read<Account>(sql`${accountRows} where o.id = ${ctx.caller.organizationId}`);
  if (account === undefined) throw notFound('account');
  return account;
}

/** A team of the caller's organization. */
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
 * A product of the caller's organization, or a public one of the named organization, which only its owner changes; whole,
 * unless it is only read and less is asked.
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

/** The product that a body refers to: one's own or a public one, named by its id and, where given, its organization. */
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

/** A device of the caller's organization that the caller can read; whole, unless it is only read and less is asked. */
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

/** An application of the caller's organization that the caller can read, with the caller's permission on it. */
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

/** Condition on `application a`: the caller can read it. */
export const readableApplication = (caller: Caller): Sql =>
  isOwner(caller)
    ? sql`true`
    : sql`exists (select from team_application ta join team_member tm using (team_id)
                   where ta.application_id = a.id and tm.user_id = ${caller.userId})`;

/** Condition on `application a`: the caller may change it, and so see its hooks and deliveries. */
export const writableApplication = (caller: Caller): Sql =>
  isOwner(caller)
    ? sql`true`
    : sql`exists (select from team_application ta join team_member tm using (team_id)
                   where ta.application_id = a.id and tm.user_id = ${caller.userId} and ta.permission = 'write')`;

/** Condition on `device d`: the caller can read it, as an owner or through an application that it is linked to. */
export const readableDevice = (caller: Caller): Sql =>
  isOwner(caller)
    ? sql`true`
    : sql`exists (select from application_device ad join team_application ta using (application_id) join team_member tm using (team_id)
                   where ad.device_id = d.id and tm.user_id = ${caller.userId})`;

/** Condition on `product p`: the caller's organization's own, or public. */
export const readableProduct = (caller: Caller): Sql => sql`(p.organization_id = ${caller.organizationId} or p.public)`;

/** One row of the caller's organization, or the 404 that tells nothing apart. */
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
