import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { readableDevice } from '../auth/access.js';
import { GraphOnly } from '../entities/columns.js';
import { Product } from '../entities/product.js';
import type { Context } from '../schema/context.js';
import { SearchablePageArgs } from '../schema/list.args.js';
import { DevicePage } from '../schema/pages.js';
import { deviceListing } from './devices.js';
import { listBelow } from './list.js';

/** The devices of products, where a query follows them. */
@Resolver(() => Product)
export class ProductEdgesResolver {
  @FieldResolver(() => DevicePage, {
    description: "The caller's organization's devices of it that the caller can read.",
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
          readableDevice(ctx.caller),
        ],
        order: sql`d.id`,
      });
    return listBelow(ctx, 'product.devices', id, listing, args);
  }
}
