import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { invalid } from '#common/errors.js';
import { newId } from '#entities/id.js';
import { Product } from '#entities/product.js';
import { takenNameFaults } from '#entities/product-settings.js';
import { PutAnswer } from '#entities/put-answer.js';
import { variableFaults } from '#entities/variables.js';
import type { Context } from '#schema/context.js';
import { upsertMany } from '#upsert/upsert-many.js';
import { PutProductsArgs } from './product.args.js';
import { faultsOfSettings } from './product-faults.js';

/** Resolves the mutation that puts many products by their keys. */
@Resolver()
export class ProductsUpsertResolver {
  @Mutation(() => PutAnswer, {
    description:
      'Creates and changes products by the keys of a tool. One outcome per product, in order; the fault of one does not fail the others.',
  })
  putProducts(
    @Args(() => PutProductsArgs) { organizationId, products, dryRun }: PutProductsArgs,
    @Ctx() ctx: Context,
  ): Promise<PutAnswer> {
    authorize(ctx, organizationId, policies.product.change);
    return upsertMany(ctx, products, {
      organizationId,
      key: 'externalId',
      isDry: dryRun === true,
      type: Product,
      make: () => Object.assign(new Product(), { id: newId(), organizationId }),
      change(product, item) {
        const settings =
          item.settings === undefined
            ? takenNameFaults(item.variables, product.settings)
            : faultsOfSettings(item.settings ?? {}, item.variables);
        const faults = [...variableFaults(item.variables), ...settings];
        if (faults.length > 0) throw invalid(faults);
        product.change(item);
        if (item.settings !== undefined) product.set(item.settings ?? {});
      },
    });
  }
}
