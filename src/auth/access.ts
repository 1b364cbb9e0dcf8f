import sql, { empty, type Sql } from 'sql-template-tag';
import { forbidden, notFound } from '#common/errors.js';
import type { Account } from '#entities/account.js';
import { Application } from '#entities/application.js';
import { Device } from '#entities/device.js';
import { isId } from '#entities/id.js';
import { Product } from '#entities/product.js';
import { Site } from '#entities/site.js';
import { Team } from '#entities/team.js';
import type { Context } from '#schema/context.js';
import type { SelectedFields } from '#schema/selected-fields.js';
import { type Audience, isOwner } from './audiences.js';
import { can, isAllowed, isAllowedOn, policies } from './policies.js';
import { accountRows, applicationRows, deviceRows, productRows, siteRows, teamRows } from './rows.js';

const ownersOnly = 'Only owners of the organization may do this: ask one of them.';
/** Error message for a caller who may read an application but not change it. */
export const writersOnly =
  'This takes the permission "write" on the application: ask an owner of the organization for it.';

const writersOfDeviceOnly =
  'This takes the permission "write" on an application of the device: ask an owner of the organization for it.';

/** Identifiers of a thing and of its organization. */
type Named<Key extends string> = Readonly<Record<'organizationId' | Key, string>>;

/** Checks that the caller belongs to the organization (otherwise 404) and to the audience in it (otherwise 403). */
export function authorize(
  { caller }: Pick<Context, 'caller'>,
  organizationId: string,
  audience: Audience<'organization'>,
): void {
  if (organizationId !== caller.organizationId) throw notFound('organization');
  if (!isAllowed(caller, audience)) throw forbidden(ownersOnly);
}

/** Loads the account of the caller's organization. */
export async function loadAccount(ctx: Context): Promise<Account> {
  const [account] = await ctx.read<Account>(sql`${accountRows} where o.id = ${ctx.caller.organizationId}`);
  if (account === undefined) throw notFound('account');
  return account;
}

/** Loads a team of the caller's organization. */
export async function loadTeam(
  ctx: Context,
  { organizationId, teamId: id }: Named<'teamId'>,
  audience: Audience<'organization'>,
): Promise<Team> {
  const row = await find<Team>(
    ctx,
    organizationId,
    id,
    'team',
    sql`${teamRows()} where t.organization_id = ${organizationId} and t.id = ${id}`,
  );
  if (audience.need === 'read') return row;
  if (!isOwner(ctx.caller)) throw forbidden(ownersOnly);
  return ctx.em.merge(Team, row);
}

/**
 * Loads a product of the named organization: the caller's own, or a public one. Only its owner may change it.
 * @param selected columns to load, for an audience of readers only; all columns without it
 */
export async function loadProduct(
  ctx: Context,
  { organizationId, productId: id }: Named<'productId'>,
  audience: Audience<'product' | 'organization'>,
  selected?: SelectedFields,
): Promise<Product> {
  if (!isId(organizationId) || !isId(id)) throw notFound('product');
  const [row] = await ctx.read<Product>(sql`
    ${productRows(ctx.caller, selected)} where p.organization_id = ${organizationId} and p.id = ${id} and ${can(ctx.caller, policies.product.read)}`);
  if (row === undefined) throw notFound('product');
  if (audience.need === 'read') return row;
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
    select p.id, p.organization_id as "organizationId" from product p where p.id = ${id} and ${can(ctx.caller, policies.product.read)}
      ${organizationId == null ? empty : sql`and p.organization_id = ${organizationId}`}`);
  if (row === undefined) throw notFound('product');
  return row;
}

/**
 * Loads a device of the caller's organization that the caller can read.
 * @param selected columns to load, for an audience of readers only; all columns without it
 */
export async function loadDevice(
  ctx: Context,
  { organizationId, deviceId: id }: Named<'deviceId'>,
  audience: Audience<'device' | 'organization'>,
  selected?: SelectedFields,
): Promise<Device> {
  const row = await find<Device>(
    ctx,
    organizationId,
    id,
    'device',
    sql`${deviceRows(ctx.caller, selected)} where d.organization_id = ${organizationId} and d.id = ${id} and ${can(ctx.caller, policies.device.read)}`,
  );
  if (audience.need === 'read') return row;
  if (audience.need === 'write') await requireWriter(ctx, row.id, audience as Audience<'device'>);
  else if (!isOwner(ctx.caller)) throw forbidden(ownersOnly);
  return ctx.em.merge(Device, row);
}

async function requireWriter(ctx: Context, deviceId: string, writers: Audience<'device'>): Promise<void> {
  if (isOwner(ctx.caller)) return;
  const found = await ctx.read(sql`select from device d where d.id = ${deviceId} and ${can(ctx.caller, writers)}`);
  if (found.length === 0) throw forbidden(writersOfDeviceOnly);
}

/** Loads a site of the caller's organization that the caller can read. */
export async function loadSite(
  ctx: Context,
  { organizationId, siteId: id }: Named<'siteId'>,
  audience: Audience<'site' | 'organization'>,
): Promise<Site> {
  const row = await find<Site>(
    ctx,
    organizationId,
    id,
    'site',
    sql`${siteRows()} where s.organization_id = ${organizationId} and s.id = ${id} and ${can(ctx.caller, policies.site.read)}`,
  );
  if (audience.need === 'read') return row;
  if (!isOwner(ctx.caller)) throw forbidden(ownersOnly);
  return ctx.em.merge(Site, row);
}

/** Loads an application of the caller's organization that the caller can read, with the caller's permission on it. */
export async function loadApplication(
  ctx: Context,
  { organizationId, applicationId: id }: Named<'applicationId'>,
  audience: Audience<'application' | 'organization'>,
): Promise<Application> {
  const row = await find<Application>(
    ctx,
    organizationId,
    id,
    'application',
    sql`${applicationRows(ctx.caller)} where a.organization_id = ${organizationId} and a.id = ${id} and ${can(ctx.caller, policies.application.read)}`,
  );
  if (audience.need === 'read') return row;
  if (audience.need === 'own' && !isOwner(ctx.caller)) throw forbidden(ownersOnly);
  if (!isAllowedOn(row, audience)) throw forbidden(writersOnly);
  return ctx.em.merge(Application, row);
}

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
