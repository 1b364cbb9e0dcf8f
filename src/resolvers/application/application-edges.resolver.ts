import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { isAllowedOn, policies } from '#auth/policies.js';
import { forbidden } from '#common/errors.js';
import { Application } from '#entities/application.js';
import { GraphOnly } from '#entities/columns.js';
import { deliveriesBelow } from '#listing/deliveries.js';
import { grantsOfApplication } from '#listing/grants.js';
import { hookConditions, hookListing } from '#listing/hooks.js';
import { listBelow } from '#listing/list.js';
import { productListing } from '#listing/products.js';
import { recordsBelow } from '#listing/records.js';
import { teamListing } from '#listing/teams.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import { DeliveriesBelowArgs, HooksBelowArgs, RecordsBelowArgs, SearchablePageArgs } from '#schema/list.args.js';
import { DeliveryPage, HookPage, ProductPage, RecordPage, TeamGrantPage, TeamPage } from '#schema/pages.js';

/** Resolves the hooks, deliveries and teams of applications. */
@Resolver(() => Application)
export class ApplicationEdgesResolver {
  constructor(private readonly index: Pick<RecordIndex, 'list'>) {}

  @FieldResolver(() => HookPage, {
    nullable: true,
    description: 'Hooks of the application; only for callers who may change the application.',
  })
  @GraphOnly()
  hooks(
    @Root() { id, permission }: Application,
    @Args(() => HooksBelowArgs) args: HooksBelowArgs,
    @Ctx() ctx: Context,
  ): Promise<HookPage> {
    if (!isAllowedOn({ permission }, policies.hook.read))
      throw forbidden('You may read this application, but not see its hooks.');
    const listing = () => hookListing([sql`h.application_id = parent.id`, ...hookConditions(args)]);
    return listBelow(ctx, 'application.hooks', id, listing, args);
  }

  @FieldResolver(() => DeliveryPage, {
    nullable: true,
    description:
      'Deliveries of all hooks of the application, the newest first; only for callers who may change the application.',
  })
  @GraphOnly()
  deliveries(
    @Root() { id, permission }: Application,
    @Args(() => DeliveriesBelowArgs) args: DeliveriesBelowArgs,
    @Ctx() ctx: Context,
  ): Promise<DeliveryPage> {
    if (!isAllowedOn({ permission }, policies.delivery.read))
      throw forbidden('You may read this application, but not see its deliveries.');
    const listing = () => deliveriesBelow([sql`d.application_id = parent.id`], args);
    return listBelow(ctx, 'application.deliveries', id, listing, args);
  }

  @FieldResolver(() => RecordPage, {
    description: 'Records of the linked devices, the newest first; `sort: "ts"` for the oldest first.',
  })
  @GraphOnly()
  records(
    @Root() { id }: Application,
    @Args(() => RecordsBelowArgs) args: RecordsBelowArgs,
    @Ctx() ctx: Context,
  ): Promise<RecordPage> {
    return recordsBelow(ctx, this.index, 'application', id, args);
  }

  @FieldResolver(() => ProductPage, { description: 'Products of the linked devices.' })
  @GraphOnly()
  products(
    @Root() { id }: Application,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<ProductPage> {
    const used = sql`select d.product_id from application_device l join device d on d.id = l.device_id
      where l.application_id = parent.id`;
    const listing = () => productListing(ctx.caller, [sql`p.id in (${used})`]);
    return listBelow(ctx, 'application.products', id, listing, args);
  }

  @FieldResolver(() => TeamPage, { description: 'Teams that have access to the application.' })
  @GraphOnly()
  teams(
    @Root() { id }: Application,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<TeamPage> {
    const listing = () =>
      teamListing({
        joined: sql`join team_application l on l.team_id = t.id`,
        parent: sql`l.application_id`,
        where: [],
        order: sql`l.created_at`,
      });
    return listBelow(ctx, 'application.teams', id, listing, args);
  }

  @FieldResolver(() => TeamGrantPage, { description: 'Permissions of teams on the application.' })
  @GraphOnly()
  grants(
    @Root() { id }: Application,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<TeamGrantPage> {
    return listBelow(ctx, 'application.grants', id, grantsOfApplication, args);
  }
}
