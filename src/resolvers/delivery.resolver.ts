import sql from 'sql-template-tag';
import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { Delivery } from '../entities/delivery.js';
import type { Context } from '../schema/context.js';
import { DeliveriesArgs, DeliveryArgs } from '../schema/hook.args.js';
import { DeliveryPage } from '../schema/pages.js';
import { deliveryListing, loadDelivery } from './deliveries.js';
import { loadHook } from './hooks.js';
import { list } from './list.js';

/** Deliveries: every call to a hook, on record. */
@Resolver(() => Delivery)
export class DeliveryResolver {
  @Query(() => DeliveryPage, { description: 'The deliveries of a hook, newest first.' })
  async applicationHookDeliveries(
    @Args(() => DeliveriesArgs) args: DeliveriesArgs,
    @Ctx() ctx: Context,
  ): Promise<DeliveryPage> {
    const hook = await loadHook(ctx, args);
    return list(ctx, deliveryListing([sql`d.hook_id = ${hook.id}`]), args);
  }

  @Query(() => Delivery, { description: 'A delivery with all its attempts.' })
  async applicationHookDelivery(@Args(() => DeliveryArgs) args: DeliveryArgs, @Ctx() ctx: Context): Promise<Delivery> {
    const hook = await loadHook(ctx, args);
    return loadDelivery(ctx, hook.id, args.deliveryId);
  }
}
