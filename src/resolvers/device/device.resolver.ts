import DataLoader from 'dataloader';
import sql, { join, type Sql } from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { authorize, loadDevice, referredProduct } from '#auth/access.js';
import { can, policies } from '#auth/policies.js';
import { deviceRows } from '#auth/rows.js';
import { violates } from '#common/constraints.js';
import { conflict, notFound } from '#common/errors.js';
import { GraphOnly, RestShape } from '#entities/columns.js';
import { Device } from '#entities/device.js';
import { isId, newId } from '#entities/id.js';
import { Product, ProductReference } from '#entities/product.js';
import { serialKey } from '#entities/serial.js';
import { applicationsOfDevice } from '#listing/applications.js';
import { filterTimeout } from '#listing/device-filter.js';
import { deviceListing, ofProduct } from '#listing/devices.js';
import { DeviceArgs } from '#listing/identifier.args.js';
import { list } from '#listing/list.js';
import { type Listing, timeoutRefusal } from '#listing/list-read.js';
import { loaderOf } from '#listing/loader.js';
import { productOf } from '#listing/products.js';
import { readFilter, type Silence } from '#listing/silent-filter.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import { SearchablePageArgs } from '#schema/list.args.js';
import { ApplicationPage, DevicePage } from '#schema/pages.js';
import { type SelectedFields, SelectedNames } from '#schema/selected-fields.js';
import {
  DeviceBySerialArgs,
  DevicesArgs,
  type ProductReferenceInput,
  RegisterDeviceArgs,
  UpdateDeviceArgs,
} from './device.args.js';

/** Resolves the devices of the organization. */
@Resolver(() => Device)
export class DeviceResolver {
  constructor(private readonly index: Silence & Newest) {}

  @Query(() => DevicePage, { description: 'The devices of the organization that the caller can read.' })
  async devices(@Args(() => DevicesArgs) args: DevicesArgs, @Ctx() ctx: Context): Promise<DevicePage> {
    authorize(ctx, args.organizationId, policies.organization.read);
    const filter = await readFilter(ctx, this.index, args.filter);
    const listing = deviceListing(ctx.caller, {
      where: [
        sql`d.organization_id = ${args.organizationId}`,
        can(ctx.caller, policies.device.read),
        ...ofProduct(args.productId),
        ...(args.ids ? [sql`d.id = any(${args.ids.filter(isId)}::uuid[])`] : []),
        ...(args.hasProduct ? [sql`d.product_id is not null`] : []),
      ],
      order: sql`d.id`,
      filter,
    });
    return list(ctx, await sortedByHeard(ctx, this.index, listing, args.sort), args);
  }

  @FieldResolver(() => Product, { nullable: true, description: 'Product that describes the device.' })
  @RestShape(ProductReference)
  product(
    @Root() { productId }: Device,
    @SelectedNames() selected: SelectedFields,
    @Ctx() ctx: Context,
  ): Promise<Product | null> {
    return productOf(ctx, productId, selected);
  }

  @FieldResolver(() => ApplicationPage, { description: 'Linked applications that the caller can read.' })
  @GraphOnly()
  applications(
    @Root() { id }: Device,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<ApplicationPage> {
    return applicationsOfDevice(ctx, id, args);
  }

  @Query(() => Device, { description: 'A device.' })
  device(
    @Args(() => DeviceArgs) args: DeviceArgs,
    @SelectedNames() selected: SelectedFields,
    @Ctx() ctx: Context,
  ): Promise<Device> {
    return loadDevice(ctx, args, policies.device.read, selected);
  }

  @Query(() => Device, { description: 'A device by its serial number, regardless of case and dashes.' })
  async deviceBySerial(
    @Args(() => DeviceBySerialArgs) { organizationId, deviceSerial }: DeviceBySerialArgs,
    @SelectedNames() selected: SelectedFields,
    @Ctx() ctx: Context,
  ): Promise<Device> {
    authorize(ctx, organizationId, policies.organization.read);
    const make = () =>
      new DataLoader<string, Device | null>(async (keys) => {
        const rows = await ctx.read<Device & { key: string }>(sql`
          select found.*, w.key from unnest(${keys}::text[]) w (key) cross join lateral (
            ${deviceRows(ctx.caller, selected)}
             where d.organization_id = ${organizationId} and d.serial_key = w.key and ${can(ctx.caller, policies.device.read)}) found`);
        const devices = new Map(rows.map(({ key, ...device }) => [key, device as Device]));
        return keys.map((key) => devices.get(key) ?? null);
      });
    const loader = loaderOf(ctx, `device by serial ${selected.key}`, make);
    const device = await loader.load(serialKey(deviceSerial));
    if (device === null) throw notFound('device');
    return device;
  }

  @Mutation(() => Device, { description: 'Registers a device by its serial number.' })
  async registerDevice(@Args(() => RegisterDeviceArgs) args: RegisterDeviceArgs, @Ctx() ctx: Context): Promise<Device> {
    authorize(ctx, args.organizationId, policies.device.change);
    const { organizationId, deviceSerial, ...values } = args;
    const product = values.product && (await referredProduct(ctx, values.product));
    await requireFreeSerial(ctx, organizationId, deviceSerial);
    const device = Object.assign(new Device(), { id: newId(), organizationId, serial: deviceSerial });
    try {
      await ctx.insert(device.change({ ...values, product }));
    } catch (error) {
      // Another call registered the serial number at the same time.
      if (violates(error, serialConstraint)) await requireFreeSerial(ctx, organizationId, deviceSerial);
      throw error;
    }
    return device;
  }

  @Mutation(() => Device, { description: 'Changes a device.' })
  async updateDevice(@Args(() => UpdateDeviceArgs) args: UpdateDeviceArgs, @Ctx() ctx: Context): Promise<Device> {
    const { organizationId, deviceId, ...values } = args;
    const device = await loadDevice(ctx, { organizationId, deviceId }, policies.device.change);
    // A device may keep a product that is public no more, so that what a client got can be put back.
    const product = isSame(values.product, device.product)
      ? device.product
      : values.product && (await referredProduct(ctx, values.product));
    device.change({ ...values, product });
    await ctx.update(device);
    return device;
  }

  @Mutation(() => Device, {
    description: 'Deletes a device and its records. The device must not be linked to an application.',
  })
  async deleteDevice(@Args(() => DeviceArgs) args: DeviceArgs, @Ctx() ctx: Context): Promise<Device> {
    const device = await loadDevice(ctx, args, policies.device.change);
    try {
      await ctx.em.remove(device).flush();
    } catch (error) {
      if (violates(error, 'application_device_organization_id_device_id_fkey')) {
        throw conflict('A device that is linked to an application cannot be deleted: remove the link first.');
      }
      throw error;
    }
    return device;
  }
}

/** Whether a body names the product that a device has. */
const isSame = (named: ProductReferenceInput | null | undefined, product: ProductReference | null | undefined) =>
  named != null &&
  product != null &&
  named.id === product.id &&
  (named.organizationId ?? product.organizationId) === product.organizationId;

const serialConstraint = 'device_organization_id_serial_key_key';

/**
 * Checks that a serial number is free. Only owners register devices, so the error may name any device of the
 * organization.
 * @throws conflict
 */
async function requireFreeSerial(ctx: Context, organizationId: string, serial: string): Promise<void> {
  const [taken] = await ctx.read<{ id: string; serial: string }>(sql`
    select id, serial from device where organization_id = ${organizationId} and serial_key = ${serialKey(serial)}`);
  if (taken === undefined) return;
  const message = `is taken by the device ${taken.id}`;
  throw conflict(
    `The device ${taken.id} is registered with the serial ${taken.serial}: change or delete that one, or choose another serial.`,
    [{ path: 'deviceSerial', message }],
  );
}

/** The part of the record index that orders devices by their newest record. */
type Newest = Pick<RecordIndex, 'newestTimes'>;

/** Maximum number of devices per query of the index. */
const pageSize = 50_000;

/**
 * Lets a list of devices `d` be sorted by `lastRecordAt`. If `sort` names it, the record index reads the newest time of
 * every device of the list, since no index of PostgreSQL has them in order: 1.1 s for 100,000 devices over 13 weeks of
 * records. Devices without records come last.
 * @throws invalid (422) when it takes too long.
 */
async function sortedByHeard(
  ctx: Context,
  index: Newest,
  listing: Listing,
  sort: string | null | undefined,
): Promise<Listing> {
  const sortable = { ...listing.sortable, lastRecordAt: sql`heard.ts` };
  if (!sort?.split(',').some((key) => /^-?lastRecordAt$/.test(key))) return { ...listing, sortable };
  const times = await newestIn(ctx, index, listing);
  const heard = sql`
    left join unnest(${[...times.keys()]}::uuid[], ${[...times.values()]}::timestamptz[]) heard (id, ts) on heard.id = d.id`;
  return { ...listing, sortable, rows: (selected, also) => sql`${listing.rows(selected, also)} ${heard}` };
}

async function newestIn(ctx: Context, index: Newest, { from, where }: Listing): Promise<Map<string, string>> {
  const end = performance.now() + filterTimeout;
  const left = () => Math.max(1, Math.ceil(end - performance.now()));
  const times = new Map<string, string>();
  try {
    for (let after: Sql[] = []; ; ) {
      const page = sql`select d.id ${from} where ${join([...where, ...after], ' and ')} order by d.id limit ${pageSize}`;
      const ids = ((await ctx.readWithin(page, left())) as { id: string }[]).map(({ id }) => id);
      for (const [id, ts] of await index.newestTimes(ctx, ids, left())) times.set(id, ts);
      if (ids.length < pageSize) return times;
      after = [sql`d.id > ${ids.at(-1)!}::uuid`];
    }
  } catch (error) {
    throw timeoutRefusal(error, filterTimeout);
  }
}
