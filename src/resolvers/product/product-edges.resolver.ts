import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { can, policies } from '#auth/policies.js';
import { GraphOnly } from '#entities/columns.js';
import { Product, RecordedVariable } from '#entities/product.js';
import { applicationListing } from '#listing/applications.js';
import { deviceListing } from '#listing/devices.js';
import { listBelow } from '#listing/list.js';
import { shownVariables } from '#listing/products.js';
import type { Context } from '#schema/context.js';
import { SearchablePageArgs } from '#schema/list.args.js';
import { ApplicationPage, DevicePage } from '#schema/pages.js';

/** Resolves the variables and devices of products, and the applications that these belong to. */
@Resolver(() => Product)
export class ProductEdgesResolver {
  @FieldResolver(() => [RecordedVariable], {
    description:
      "Variables of the product's records, derived ones included, with how to show them. Those that devices send come first, in the order of `variables`, then derived ones.",
  })
  @GraphOnly()
  recordedVariables(@Root() { id }: Product, @Ctx() ctx: Context): Promise<RecordedVariable[]> {
    return shownVariables(ctx, id);
  }

  @FieldResolver(() => DevicePage, {
    description: "Devices of the product in the caller's organization that the caller can read.",
  })
  @GraphOnly()
  devices(
    @Root() { id }: Product,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<DevicePage> {
    const listing = () =>
      deviceListing(ctx.caller, {
        where: [
          sql`d.product_id = parent.id`,
          sql`d.organization_id = ${ctx.caller.organizationId}`,
          can(ctx.caller, policies.device.read),
        ],
        order: sql`d.id`,
      });
    return listBelow(ctx, 'product.devices', id, listing, args);
  }

  @FieldResolver(() => ApplicationPage, {
    description:
      "Applications of the caller's organization that have devices of the product and that the caller can read.",
  })
  @GraphOnly()
  applications(
    @Root() { id }: Product,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<ApplicationPage> {
    const { organizationId } = ctx.caller;
    const used = sql`select l.application_id from device d join application_device l on l.device_id = d.id
      where d.product_id = parent.id and d.organization_id = ${organizationId}`;
    const where = [
      sql`a.id in (${used})`,
      sql`a.organization_id = ${organizationId}`,
      can(ctx.caller, policies.application.read),
    ];
    const listing = () => applicationListing(ctx.caller, { where, order: sql`a.id` });
    return listBelow(ctx, 'product.applications', id, listing, args);
  }
}
