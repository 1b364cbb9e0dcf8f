import sql, { join, type Sql } from 'sql-template-tag';
import { authorize, loadApplication, referredProduct } from '#auth/access.js';
import { can, policies } from '#auth/policies.js';
import { invalid } from '#common/errors.js';
import { deviceConditions } from '#listing/device-filter.js';
import { readFilter, type Silence } from '#listing/silent-filter.js';
import type { GroupMembers } from '#records/group-series.js';
import type { Context } from '#schema/context.js';
import type { GroupInput } from './group-series.args.js';

/**
 * Returns the devices of a group that the caller can read, as one group.
 * @throws notFound (404) for an application or product that the caller cannot read; invalid (422) unless exactly one
 * field is given
 */
export async function groupMembers(
  ctx: Context,
  index: Silence,
  organizationId: string,
  over: GroupInput,
): Promise<GroupMembers> {
  const given = Object.values(over).filter((value) => value != null);
  if (given.length !== 1) {
    throw invalid([
      { path: 'over', message: 'must have exactly one of `applicationId`, `productId`, `tag` and `devices`' },
    ]);
  }
  authorize(ctx, organizationId, policies.organization.read);
  return { group: sql`''::text`, from: await devicesOf(ctx, index, organizationId, over) };
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
