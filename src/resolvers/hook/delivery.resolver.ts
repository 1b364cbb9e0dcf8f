import sql, { type Sql } from 'sql-template-tag';
import { Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { targetOf } from '#audit/fields.js';
import { policies } from '#auth/policies.js';
import { conflict } from '#common/errors.js';
import { Delivery, Ended } from '#entities/delivery.js';
import { isId } from '#entities/id.js';
import { Job } from '#entities/job.js';
import type { Hooks } from '#hooks/hooks.js';
import type { Jobs } from '#jobs/jobs.js';
import { deliveryListing, loadDelivery, storedWithin } from '#listing/deliveries.js';
import { loadHook } from '#listing/hooks.js';
import { list } from '#listing/list.js';
import type { Context } from '#schema/context.js';
import { DeliveryPage } from '#schema/pages.js';
import { DeliveriesArgs, DeliveryArgs, LedgerArgs, RedeliverArgs, ReplayArgs } from './hook.args.js';

/** Resolves deliveries, which record every call to a hook, and their redelivery. */
@Resolver(() => Delivery)
export class DeliveryResolver {
  constructor(
    private readonly hooks: Pick<Hooks, 'redeliver'>,
    private readonly jobs: Jobs,
  ) {}

  @Query(() => DeliveryPage, { description: 'The deliveries of a hook, the newest first.' })
  async applicationHookDeliveries(
    @Args(() => DeliveriesArgs) args: DeliveriesArgs,
    @Ctx() ctx: Context,
  ): Promise<DeliveryPage> {
    const hook = await loadHook(ctx, args, policies.delivery.read);
    return list(ctx, { ...deliveryListing([sql`d.hook_id = ${hook.id}`]), parentId: hook.id }, args);
  }

  @Query(() => DeliveryPage, { description: 'The deliveries of a hook that match a filter, the newest first.' })
  async applicationHookLedger(@Args(() => LedgerArgs) args: LedgerArgs, @Ctx() ctx: Context): Promise<DeliveryPage> {
    const hook = await loadHook(ctx, args, policies.delivery.read);
    const where = [sql`d.hook_id = ${hook.id}`, ...filters(args)];
    return list(ctx, { ...deliveryListing(where), parentId: hook.id }, args);
  }

  @Query(() => Delivery, { description: 'A delivery with all its attempts.' })
  async applicationHookDelivery(@Args(() => DeliveryArgs) args: DeliveryArgs, @Ctx() ctx: Context): Promise<Delivery> {
    const hook = await loadHook(ctx, args, policies.delivery.read);
    return loadDelivery(ctx, hook.id, args.deliveryId);
  }

  @Mutation(() => Delivery, {
    description:
      'Makes a delivery again, under its identifier and with a full retry schedule. A waiting delivery is attempted at once.',
  })
  async redeliverApplicationHookDelivery(
    @Args(() => DeliveryArgs) args: DeliveryArgs,
    @Ctx() ctx: Context,
  ): Promise<Delivery> {
    const hook = await loadHook(ctx, args, policies.delivery.repeat);
    const { id } = await loadDelivery(ctx, hook.id, args.deliveryId);
    await this.hooks.redeliver(hook.id, id, ctx.audit.event(targetOf('Hook', hook), { delivery: [null, id] }));
    return loadDelivery(ctx, hook.id, id);
  }

  @Mutation(() => Job, {
    description: 'Repeats, in a job, the deliveries of a time range that ended in the given state.',
  })
  async redeliverApplicationHook(@Args(() => RedeliverArgs) args: RedeliverArgs, @Ctx() ctx: Context): Promise<Job> {
    const hook = await loadHook(ctx, args, policies.delivery.repeat);
    const { from = null, to = null, state } = args;
    const range = { from, to, state: state ?? Ended.failed };
    const event = ctx.audit.event(targetOf('Hook', hook), { range: [null, range] });
    return this.jobs.ask(hook.organizationId, 'redeliver', { hookId: hook.id, ...range }, event);
  }

  @Mutation(() => Job, {
    description:
      'Delivers the stored records of a time range, in a job. A conflict if the hook is not called for records.',
  })
  async replayApplicationHook(@Args(() => ReplayArgs) args: ReplayArgs, @Ctx() ctx: Context): Promise<Job> {
    const hook = await loadHook(ctx, args, policies.delivery.repeat);
    if (!hook.events.includes('record'))
      throw conflict('This hook is not called for records: add `record` to the `events` of its settings first.');
    const { from = null, to = null } = args;
    const event = ctx.audit.event(targetOf('Hook', hook), { range: [null, { from, to }] });
    return this.jobs.ask(hook.organizationId, 'replay', { hookId: hook.id, from, to }, event);
  }
}

/** Returns the conditions of a ledger's filter. An invalid identifier matches nothing. */
function filters({ successful, deviceId, from, to }: LedgerArgs): Sql[] {
  return [
    // Written like the condition of the index of unsuccessful deliveries.
    ...(successful == null ? [] : [successful ? sql`d.state = 'succeeded'` : sql`d.state <> 'succeeded'`]),
    ...(deviceId == null ? [] : [isId(deviceId) ? sql`d.device_id = ${deviceId}` : sql`false`]),
    ...storedWithin({ from, to }),
  ];
}
