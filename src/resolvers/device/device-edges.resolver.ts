import DataLoader from 'dataloader';
import { GraphQLDateTimeISO } from 'graphql-scalars';
import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { can, policies } from '#auth/policies.js';
import { GraphOnly } from '#entities/columns.js';
import { Device } from '#entities/device.js';
import { deliveriesBelow } from '#listing/deliveries.js';
import { listBelow } from '#listing/list.js';
import { loaderOf } from '#listing/loader.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import { DeliveriesBelowArgs } from '#schema/list.args.js';
import { DeliveryPage } from '#schema/pages.js';

/** Timeout of a page of deliveries, in milliseconds. No index has the newest deliveries of many hooks together. */
const timeout = 10_000;

/** Resolves the deliveries and the last record of devices. */
@Resolver(() => Device)
export class DeviceEdgesResolver {
  constructor(private readonly index: Pick<RecordIndex, 'newestTimes'>) {}

  @FieldResolver(() => DeliveryPage, {
    description:
      "Deliveries of the device's records, the newest first, to the hooks of the linked applications that the caller may change.",
  })
  @GraphOnly()
  deliveries(
    @Root() { id }: Device,
    @Args(() => DeliveriesBelowArgs) args: DeliveriesBelowArgs,
    @Ctx() ctx: Context,
  ): Promise<DeliveryPage> {
    const hooks = sql`
      select h.id from application_device l join application a on a.id = l.application_id join hook h on h.application_id = a.id
       where l.device_id = parent.id and ${can(ctx.caller, policies.delivery.read)}`;
    const listing = () => ({
      ...deliveriesBelow([sql`d.device_id = parent.id`, sql`d.hook_id = any(array(${hooks}))`], args),
      timeout,
    });
    return listBelow(ctx, 'device.deliveries', id, listing, args);
  }

  @FieldResolver(() => GraphQLDateTimeISO, {
    nullable: true,
    description:
      "Time of the device's newest record: of its measurement, or of its arrival if the device's clock was ahead; null without records.",
  })
  @GraphOnly()
  lastRecordAt(@Root() { id }: Device, @Ctx() ctx: Context): Promise<string | null> {
    const make = () =>
      new DataLoader<string, string | null>(async (ids) => {
        // Each device costs a look at the end of its index: 60 ms for a thousand devices over 13 weeks of records.
        const last = await this.index.newestTimes(ctx, ids, timeout);
        return ids.map((each) => last.get(each) ?? null);
      });
    return loaderOf(ctx, 'device.lastRecordAt', make).load(id);
  }
}
