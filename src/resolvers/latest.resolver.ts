import DataLoader from 'dataloader';
import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { loadApplication, loadDevice } from '../auth/access.js';
import { GraphOnly } from '../entities/columns.js';
import { Device } from '../entities/device.js';
import { DeviceLatest, LatestValue } from '../entities/latest.js';
import type { FindLatest } from '../records/latest.js';
import { ApplicationDevicesArgs } from '../schema/application.args.js';
import type { Context } from '../schema/context.js';
import { DeviceArgs } from '../schema/device.args.js';
import { DeviceLatestPage } from '../schema/pages.js';
import { deviceListing, ofProduct } from './devices.js';
import { list } from './list.js';
import { loaderOf } from './loader.js';

/** The newest measured values of devices. */
@Resolver(() => Device)
export class LatestResolver {
  constructor(private readonly findLatest: FindLatest) {}

  @Query(() => DeviceLatest, { description: 'The newest measured value of each variable of a device.' })
  async deviceLatest(
    @Args(() => DeviceArgs) { organizationId, deviceId }: DeviceArgs,
    @Ctx() ctx: Context,
  ): Promise<DeviceLatest> {
    const [latest] = await this.latestOf([await loadDevice(ctx, organizationId, deviceId, 'read')]);
    return latest!;
  }

  @Query(() => DeviceLatestPage, { description: 'The same of the devices that are linked to an application.' })
  async applicationLatest(
    @Args(() => ApplicationDevicesArgs) args: ApplicationDevicesArgs,
    @Ctx() ctx: Context,
  ): Promise<DeviceLatestPage> {
    const application = await loadApplication(ctx, args.organizationId, args.applicationId, 'read');
    const { items, totalCount } = await list<Device>(
      ctx,
      deviceListing(ctx.caller, {
        joined: sql`join application_device l on l.device_id = d.id`,
        where: [sql`l.application_id = ${application.id}`, ...ofProduct(args.productId)],
        order: sql`l.created_at`,
      }),
      args,
    );
    return { items: await this.latestOf(items), totalCount };
  }

  @FieldResolver(() => [LatestValue], { description: 'The newest measured value of each variable.' })
  @GraphOnly()
  latest(@Root() { id }: Device, @Ctx() ctx: Context): Promise<LatestValue[]> {
    const make = () =>
      new DataLoader<string, LatestValue[]>(async (ids) => {
        const found = await this.findLatest(ids);
        return ids.map((each) => found.get(each) ?? []);
      });
    return loaderOf(ctx, LatestResolver, make).load(id);
  }

  private async latestOf(devices: readonly Device[]): Promise<DeviceLatest[]> {
    const found = await this.findLatest(devices.map(({ id }) => id));
    return devices.map(({ id, serial }) => ({ deviceId: id, serial, values: found.get(id) ?? [] }));
  }
}
