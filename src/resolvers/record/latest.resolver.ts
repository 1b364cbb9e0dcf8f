import DataLoader from 'dataloader';
import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Float, Query, Resolver, Root } from 'type-graphql';
import { loadApplication, loadDevice } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { GraphOnly, RestOnly } from '#entities/columns.js';
import { Device } from '#entities/device.js';
import { DeviceLatest, LatestValue } from '#entities/latest.js';
import { type MeasuredValue, MeasuredValueUnion, measuredValue } from '#entities/measured-value.js';
import { ApplicationDevicesArgs } from '#listing/device-filter.args.js';
import { linkedDeviceListing, loadDeviceById } from '#listing/devices.js';
import { DeviceArgs } from '#listing/identifier.args.js';
import { list } from '#listing/list.js';
import { loaderOf } from '#listing/loader.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import { Sized } from '#schema/cost.js';
import { DeviceLatestPage } from '#schema/pages.js';
import { type Chosen, chosenDevices } from './chosen-devices.js';
import { LatestArgs } from './series.args.js';

/** Resolves the newest measured values of devices. */
@Resolver(() => Device)
export class LatestResolver {
  constructor(private readonly index: Pick<RecordIndex, 'latest'>) {}

  @RestOnly()
  @Query(() => DeviceLatest, { description: 'The newest measured value of each variable of a device.' })
  async deviceLatest(@Args(() => DeviceArgs) args: DeviceArgs, @Ctx() ctx: Context): Promise<DeviceLatest> {
    const [latest] = await this.latestOf(ctx, [await loadDevice(ctx, args, policies.record.read)]);
    return latest!;
  }

  @RestOnly()
  @Query(() => DeviceLatestPage, {
    description: 'The newest measured values of the devices linked to an application.',
  })
  async applicationLatest(
    @Args(() => ApplicationDevicesArgs) args: ApplicationDevicesArgs,
    @Ctx() ctx: Context,
  ): Promise<DeviceLatestPage> {
    const application = await loadApplication(ctx, args, policies.record.search);
    const listing = linkedDeviceListing(ctx.caller, sql`${application.id}`, args);
    const { items, totalCount } = await list<Device>(ctx, listing, args);
    return { items: await this.latestOf(ctx, items), totalCount };
  }

  @Sized({ deviceIds: 100 })
  @Query(() => [DeviceLatest], {
    description: 'The newest measured values of several devices, in the order in which they are named or were linked.',
  })
  async latest(@Args(() => LatestArgs) args: LatestArgs, @Ctx() ctx: Context): Promise<DeviceLatest[]> {
    const all = await this.latestOf(ctx, await chosenDevices(ctx, args));
    const { variables } = args;
    if (variables == null) return all;
    return all.map((one) => ({ ...one, values: one.values.filter(({ name }) => variables.includes(name)) }));
  }

  @FieldResolver(() => [LatestValue], {
    name: 'latest',
    description: 'The newest measured value of each variable.',
  })
  @GraphOnly()
  latestBelow(@Root() { id }: Device, @Ctx() ctx: Context): Promise<LatestValue[]> {
    return latestOfDevice(ctx, this.index, id);
  }

  @FieldResolver(() => Float, {
    nullable: true,
    description:
      "Seconds by which the device's clock was ahead when its newest record with values arrived; null if it was not ahead.",
  })
  @GraphOnly()
  async clockAhead(@Root() { id }: Device, @Ctx() ctx: Context): Promise<number | null> {
    const values = await latestOfDevice(ctx, this.index, id);
    const newest = values.toSorted((a, b) => b.at - a.at || b.ts - a.ts)[0];
    return newest?.ahead ?? null;
  }

  private async latestOf(ctx: Context, devices: readonly Chosen[]): Promise<DeviceLatest[]> {
    const found = await this.index.latest(
      devices.map(({ id }) => id),
      ctx.weighRows,
    );
    return devices.map(({ id, serial }) => ({ deviceId: id, serial, values: found.get(id) ?? [] }));
  }
}

/** Resolves the device of newest values. */
@Resolver(() => DeviceLatest)
export class LatestEdgesResolver {
  @FieldResolver(() => Device, { nullable: true, description: 'The device.' })
  @GraphOnly()
  device(@Root() { deviceId }: DeviceLatest, @Ctx() ctx: Context): Promise<Device | null> {
    return loadDeviceById(ctx, deviceId);
  }
}

/** Resolves newest values in their own types. */
@Resolver(() => LatestValue)
export class LatestValueResolver {
  @FieldResolver(() => MeasuredValueUnion, { description: 'The value in the type of its variable.' })
  @GraphOnly()
  typed(@Root() { value, type }: LatestValue): MeasuredValue {
    return measuredValue(value, type);
  }
}

/** Returns the newest measured values of a device. All devices of a call share one read. */
function latestOfDevice(ctx: Context, index: Pick<RecordIndex, 'latest'>, deviceId: string): Promise<LatestValue[]> {
  const make = () =>
    new DataLoader<string, LatestValue[]>(async (ids) => {
      const found = await index.latest(ids, ctx.weighRows);
      return ids.map((each) => found.get(each) ?? []);
    });
  return loaderOf(ctx, 'device.latest', make).load(deviceId);
}
