import { Args, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { loadProduct } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { invalid } from '#common/errors.js';
import { Product } from '#entities/product.js';
import { CommandDeclaration, StateDeclaration } from '#entities/product-command.js';
import {
  DerivedVariable,
  ProductSettings,
  type StoredSettings,
  shownVariables,
  VariableSettings,
} from '#entities/product-settings.js';
import type { Context } from '#schema/context.js';
import { faultsOfSettings } from './product-faults.js';
import { PutProductSettingsArgs } from './product-settings.args.js';

/** Resolves the settings of products, which stay when the product's variables change. */
@Resolver(() => ProductSettings)
export class ProductSettingsResolver {
  @FieldResolver(() => [VariableSettings])
  variables(@Root() settings: StoredSettings): VariableSettings[] {
    return shownVariables(settings);
  }

  @FieldResolver(() => [DerivedVariable])
  derived(@Root() { derived = [] }: StoredSettings): readonly DerivedVariable[] {
    return derived;
  }

  @FieldResolver(() => [CommandDeclaration])
  commands(@Root() { commands = [] }: StoredSettings): readonly CommandDeclaration[] {
    return commands;
  }

  @FieldResolver(() => [StateDeclaration])
  state(@Root() { state = [] }: StoredSettings): readonly StateDeclaration[] {
    return state;
  }

  @Mutation(() => Product, { description: 'Replaces the settings of a product.' })
  async putProductSettings(
    @Args(() => PutProductSettingsArgs) { settings, ...args }: PutProductSettingsArgs,
    @Ctx() ctx: Context,
  ): Promise<Product> {
    const product = await loadProduct(ctx, args, policies.product.change);
    const faults = faultsOfSettings(settings, product.variables);
    if (faults.length > 0) throw invalid(faults);
    product.set(settings);
    await ctx.update(product);
    return product;
  }
}
