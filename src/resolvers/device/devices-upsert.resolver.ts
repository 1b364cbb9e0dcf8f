import sql, { empty, type Sql } from 'sql-template-tag';
import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { authorize, loadApplication } from '#auth/access.js';
import { execute } from '#auth/execute.js';
import { can, policies } from '#auth/policies.js';
import { violationOf } from '#common/constraints.js';
import { ApiError, invalid, notFound } from '#common/errors.js';
import { textArray } from '#database/text-array.js';
import { isId } from '#entities/id.js';
import { PutAnswer } from '#entities/put-answer.js';
import { serialKey } from '#entities/serial.js';
import { type AttributePlan, type OwnedWrite, planAttributes, storeAttributes } from '#imports/attributes.js';
import { type DevicePut, writeDevices } from '#imports/device-write.js';
import { repeatedAttributes } from '#listing/attribute.args.js';
import type { Context, Read } from '#schema/context.js';
import { Outcomes, type Placed } from '#upsert/upsert.js';
import { type DeviceInput, PutDevicesArgs } from './device.args.js';

/** Resolves the mutation that puts many devices by their serials. */
@Resolver()
export class DevicesUpsertResolver {
  constructor(private readonly clock: () => number) {}

  @Mutation(() => PutAnswer, {
    description:
      'Registers and changes up to 1,000 devices by their serials, and links them to applications. One outcome per device, in order; the fault of one does not fail the others.',
  })
  async putDevices(
    @Args(() => PutDevicesArgs) { organizationId, devices, linkTo, dryRun }: PutDevicesArgs,
    @Ctx() ctx: Context,
  ): Promise<PutAnswer> {
    authorize(ctx, organizationId, policies.device.change);
    const applicationIds = [...new Set(linkTo ?? [])];
    for (const id of applicationIds)
      await loadApplication(ctx, { organizationId, applicationId: id }, policies.application.change);
    const outcomes = new Outcomes(devices);
    outcomes.requireValid();
    outcomes.requireUnique('serial', ({ serial }) => serialKey(serial));
    const isDry = dryRun === true;
    await ctx.em.transactional(async (em) => {
      const run: Read = <Row extends object>(query: Sql) => execute<Row>(em, query);
      await requireProducts(run, ctx, outcomes, isDry);
      await requireSites(run, organizationId, outcomes, isDry);
      const now = new Date(this.clock());
      const plans = await planAll(run, organizationId, outcomes, { dryRun: isDry, now });
      const puts = outcomes.open;
      if (puts.length === 0) return outcomes.note(ctx, 'device', isDry);
      const room = await roomForDevices(run, organizationId, isDry);
      const values = puts.map((put) => valuesOf(put, applicationIds));
      const written = await writeDevices(run, organizationId, values, {
        dryRun: isDry,
        now,
        room,
      });
      const attributes: OwnedWrite[] = [];
      written.forEach((each, place) => {
        const { index, item } = puts[place]!;
        if (each.status === 'refused') return outcomes.fail(index, violationOf('quota_devices'));
        const { id } = each;
        const { writes = [] } = plans.get(serialKey(item.serial)) ?? {};
        attributes.push(...writes.map((write) => ({ ...write, ownerId: id })));
        const status = writes.length > 0 && each.status === 'unchanged' ? 'updated' : each.status;
        outcomes.settle(index, { status, id: isDry && status === 'created' ? null : id });
      });
      if (!isDry) await storeAttributes(run, { kind: 'device', organizationId }, attributes);
      outcomes.note(ctx, 'device', isDry);
    });
    return outcomes.answer();
  }
}

/** Plans the attributes of the items, and fails those whose attributes would be too many or contradict each other. */
async function planAll(
  run: Read,
  organizationId: string,
  outcomes: Outcomes<DeviceInput>,
  options: Parameters<typeof planAttributes>[3],
): Promise<Map<string, AttributePlan>> {
  const named = outcomes.open.filter(({ item }) => (item.attributes?.length ?? 0) > 0);
  if (named.length === 0) return new Map();
  for (const { index, item } of named) {
    const faults = repeatedAttributes(item.attributes!);
    if (faults.length > 0) outcomes.fail(index, invalid(faults));
  }
  const puts = named.map(({ item }) => ({ ownerKey: serialKey(item.serial), attributes: item.attributes! }));
  const plans = await planAttributes(run, { kind: 'device', organizationId }, puts, options);
  for (const { index, item } of outcomes.open) {
    const { faults = [] } = plans.get(serialKey(item.serial)) ?? {};
    if (faults.length > 0) outcomes.fail(index, invalid(faults));
  }
  return plans;
}

const valuesOf = ({ item }: Placed<DeviceInput>, applicationIds: readonly string[]): DevicePut => {
  const { serial, name, tags, location, product, siteId } = item;
  return {
    serial,
    serialKey: serialKey(serial),
    applicationIds,
    ...(name !== undefined && { name }),
    ...(tags !== undefined && { tags }),
    ...(location !== undefined && { location }),
    ...(siteId !== undefined && { siteId }),
    ...(product !== undefined && { productId: product?.id ?? null }),
  };
};

/**
 * Fails the items whose product the caller cannot use. The lock keeps the other items' products from being deleted
 * before the transaction ends.
 */
async function requireProducts(
  run: Read,
  { caller }: Context,
  outcomes: Outcomes<DeviceInput>,
  isDry: boolean,
): Promise<void> {
  const named = outcomes.open.filter(({ item }) => item.product != null);
  if (named.length === 0) return;
  const ids = [...new Set(named.map(({ item }) => item.product!.id).filter(isId))];
  const rows = await run<{ id: string; organizationId: string }>(sql`
    select p.id, p.organization_id as "organizationId" from product p
     where p.id = any(${textArray(ids)}::uuid[]) and ${can(caller, policies.product.read)} order by p.id
     ${isDry ? empty : sql`for key share`}`);
  const owners = new Map(rows.map(({ id, organizationId }) => [id, organizationId]));
  for (const { index, item } of named) {
    const { id, organizationId } = item.product!;
    const owner = owners.get(id);
    if (owner === undefined || (organizationId != null && organizationId !== owner))
      outcomes.fail(index, missing('product', 'product'));
  }
}

/** Fails the items whose site the organization does not have. The lock keeps the other items' sites from being deleted. */
async function requireSites(
  run: Read,
  organizationId: string,
  outcomes: Outcomes<DeviceInput>,
  isDry: boolean,
): Promise<void> {
  const named = outcomes.open.filter(({ item }) => item.siteId != null);
  const ids = [...new Set(named.map(({ item }) => item.siteId!).filter(isId))];
  const rows =
    ids.length === 0
      ? []
      : await run<{ id: string }>(sql`
          select id from site where organization_id = ${organizationId} and id = any(${textArray(ids)}::uuid[])
           order by id ${isDry ? empty : sql`for key share`}`);
  const known = new Set(rows.map(({ id }) => id));
  for (const { index, item } of named) if (!known.has(item.siteId!)) outcomes.fail(index, missing('site', 'siteId'));
}

const missing = (what: string, path: string) => {
  const { code, message } = notFound(what);
  return new ApiError(code, message, [{ path, message: 'does not exist' }]);
};

/**
 * Returns how many devices the organization may still register. The lock makes calls that register at the same time
 * count one after the other, as the trigger `quota_devices` does.
 */
async function roomForDevices(run: Read, organizationId: string, isDry: boolean): Promise<number> {
  const [quota] = await run<{ devices: number }>(sql`
    select devices::float8 as devices from quota where organization_id = ${organizationId} and devices is not null
    ${isDry ? empty : sql`for update`}`);
  if (quota === undefined) return Number.POSITIVE_INFINITY;
  const [counted] = await run<{ count: number }>(
    sql`select count(*)::float8 as count from device where organization_id = ${organizationId}`,
  );
  return Math.max(0, quota.devices - counted!.count);
}
