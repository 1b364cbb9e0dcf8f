import sql, { type Sql } from 'sql-template-tag';
import { Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { changesOf, targetOf } from '#audit/fields.js';
import { authorize, loadProduct } from '#auth/access.js';
import { execute } from '#auth/execute.js';
import { policies } from '#auth/policies.js';
import { violates } from '#common/constraints.js';
import { conflict, invalid } from '#common/errors.js';
import { newId } from '#entities/id.js';
import { Product } from '#entities/product.js';
import { takenNameFaults } from '#entities/product-settings.js';
import { variableFaults } from '#entities/variables.js';
import { ProductArgs } from '#listing/identifier.args.js';
import { list } from '#listing/list.js';
import { productListing } from '#listing/products.js';
import type { Context } from '#schema/context.js';
import { SearchablePageArgs } from '#schema/list.args.js';
import { OrganizationListArgs } from '#schema/organization.args.js';
import type { Page } from '#schema/page.js';
import { ProductPage, PublicProductPage } from '#schema/pages.js';
import { type SelectedFields, SelectedNames } from '#schema/selected-fields.js';
import { CreateProductArgs, UpdateProductArgs } from './product.args.js';

/** Resolves products: types of devices, with the variables that they send. */
@Resolver(() => Product)
export class ProductResolver {
  @Query(() => PublicProductPage, { description: 'All public products, of every organization.' })
  publicProducts(
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<PublicProductPage> {
    return listProducts(ctx, sql`p.public`, args);
  }

  @Query(() => ProductPage, { description: "The organization's own products." })
  products(@Args(() => OrganizationListArgs) args: OrganizationListArgs, @Ctx() ctx: Context): Promise<ProductPage> {
    authorize(ctx, args.organizationId, policies.organization.read);
    return listProducts(ctx, sql`p.organization_id = ${args.organizationId}`, args);
  }

  @Query(() => Product, {
    description: "A product of the caller's organization, or a public product of another organization.",
  })
  product(
    @Args(() => ProductArgs) args: ProductArgs,
    @SelectedNames() selected: SelectedFields,
    @Ctx() ctx: Context,
  ): Promise<Product> {
    return loadProduct(ctx, args, policies.product.read, selected);
  }

  @Mutation(() => Product, { description: 'Creates a product.' })
  async createProduct(@Args(() => CreateProductArgs) args: CreateProductArgs, @Ctx() ctx: Context): Promise<Product> {
    requireVariables(args);
    authorize(ctx, args.organizationId, policies.product.change);
    const product = Object.assign(new Product(), { id: newId(), organizationId: args.organizationId }).change(args);
    await ctx.insert(product);
    return product;
  }

  @Mutation(() => Product, { description: 'Changes a product.' })
  async updateProduct(@Args(() => UpdateProductArgs) args: UpdateProductArgs, @Ctx() ctx: Context): Promise<Product> {
    requireVariables(args);
    const product = await loadProduct(ctx, args, policies.product.change);
    const taken = takenNameFaults(args.variables, product.settings);
    if (taken.length > 0) throw invalid(taken);
    product.change(args);
    await ctx.update(product);
    return product;
  }

  @Mutation(() => Product, { description: 'Deletes a product that is not public and that no device uses.' })
  async deleteProduct(@Args(() => ProductArgs) args: ProductArgs, @Ctx() ctx: Context): Promise<Product> {
    const product = await loadProduct(ctx, args, policies.product.change);
    await deleteUnused(ctx, product);
    return product;
  }
}

/**
 * Checks that variables do not contradict each other.
 * @throws invalid (422)
 */
function requireVariables({ variables }: CreateProductArgs): void {
  const faults = variableFaults(variables);
  if (faults.length > 0) throw invalid(faults);
}

/**
 * Deletes a product unless it is public. A single statement does both, so that the product cannot be published in
 * between.
 */
async function deleteUnused(ctx: Context, product: Product): Promise<void> {
  const { id } = product;
  try {
    await ctx.em.transactional(async (em) => {
      const deleted = await execute(em, sql`delete from product where id = ${id} and not public returning id`);
      if (deleted.length === 0)
        throw conflict('A public product cannot be deleted: devices of other organizations may use it.');
      ctx.audit.about(targetOf('Product', product), changesOf({ of: 'Product', type: 'delete', row: { ...product } }));
    });
  } catch (error) {
    if (violates(error, 'device_product_id_fkey'))
      throw conflict('Devices use this product: give them another product first.');
    throw error;
  }
}

const listProducts = (ctx: Context, which: Sql, wanted: SearchablePageArgs): Promise<Page<Product>> =>
  list<Product>(ctx, productListing(ctx.caller, [which]), wanted);
