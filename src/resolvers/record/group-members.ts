import sql, { join, type Sql } from 'sql-template-tag';
import { authorize, loadApplication, loadSite, referredProduct } from '#auth/access.js';
import { can, policies } from '#auth/policies.js';
import { invalid } from '#common/errors.js';
import { deviceConditions } from '#listing/device-filter.js';
import { readFilter, type Silence } from '#listing/silent-filter.js';
import type { GroupCall, GroupMembers } from '#records/group-series.js';
import type { Context } from '#schema/context.js';
import type { GroupInput } from './group-series.args.js';

/**
 * Returns the devices of a group that the caller can read, as one group.
 * @throws notFound (404) for an application, site or product that the caller cannot read; invalid (422) unless exactly one
 * field is given
 */
export async function groupMembers(
  ctx: Context,
  index: Silence,
  organizationId: string,
  over: GroupInput,
): Promise<Pick<GroupCall, 'members' | 'groups'>> {
  const given = Object.values(over).filter((value) => value != null);
  if (given.length !== 1) {
    throw invalid([
      { path: 'over', message: 'must have exactly one of `applicationId`, `siteId`, `productId`, `tag` and `devices`' },
    ]);
  }
  authorize(ctx, organizationId, policies.organization.read);
  if (over.siteId != null) {
    const { id } = await loadSite(ctx, { organizationId, siteId: over.siteId }, policies.site.read);
    return { members: siteMembers(ctx, [id]), groups: [id] };
  }
  const members = { group: sql`''::text`, from: await devicesOf(ctx, index, organizationId, over) };
  return { members, groups: [''] };
}

async function devicesOf(
  ctx: Context,
  index: Silence,
  organizationId: string,
  { applicationId, productId, tag, devices }: GroupInput,
): Promise<Sql> {
  const readable = (...conditions: Sql[]) => {
    const all = [sql`d.organization_id = ${organizationId}`, can(ctx.caller, policies.device.read), ...conditions];
    return sql`device d where ${join(all, ' and ')}`;
  };
  if (applicationId != null) {
    const { id } = await loadApplication(ctx, { organizationId, applicationId }, policies.record.search);
    return linkedTo([id]);
  }
  if (productId != null) return readable(sql`d.product_id = ${(await referredProduct(ctx, { id: productId })).id}`);
  if (tag != null) return readable(sql`${tag} = any(d.tags)`);
  return readable(...deviceConditions(ctx.caller, await readFilter(ctx, index, devices)));
}

/**
 * Returns the readable devices that are or were at sites or below them, by site.
 * @param conditions on `device d`
 */
export const siteMembers = (
  ctx: Context,
  siteIds: readonly string[],
  conditions: readonly Sql[] = [],
): GroupMembers => ({
  isSite: true,
  group: sql`g.id::text`,
  from: sql`
    unnest(${siteIds}::uuid[]) g (id)
    cross join lateral (
      select distinct ds.device_id from site b join device_site ds on ds.site_id = b.id where b.path @> array[g.id]) l
    join device d on d.id = l.device_id
   where ${join([can(ctx.caller, policies.device.read), ...conditions], ' and ')}`,
});

/**
 * Returns the devices linked to applications that the caller can read, by application.
 * @param conditions on `device d`
 */
export const applicationMembers = (
  applicationIds: readonly string[],
  conditions: readonly Sql[] = [],
): GroupMembers => ({
  group: sql`l.application_id::text`,
  from: linkedTo(applicationIds, conditions),
});

const linkedTo = (applicationIds: readonly string[], conditions: readonly Sql[] = []): Sql =>
  sql`application_device l join device d on d.id = l.device_id
    where ${join([sql`l.application_id = any(${applicationIds}::uuid[])`, ...conditions], ' and ')}`;
