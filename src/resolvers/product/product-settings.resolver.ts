import { Args, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { loadProduct } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { conflict, invalid } from '#common/errors.js';
import { Product } from '#entities/product.js';
import { CommandDeclaration, StateDeclaration } from '#entities/product-command.js';
import {
  DerivedVariable,
  ProductSettings,
  type StoredSettings,
  shownVariables,
  VariableSettings,
  versionOf,
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

  @FieldResolver(() => String)
  version(@Root() settings: StoredSettings): string {
    return versionOf(settings);
  }

  @Mutation(() => Product, {
    description: 'Replaces the settings of a product. A conflict if they are of another version than the one given.',
  })
  async putProductSettings(
    @Args(() => PutProductSettingsArgs) { settings, version, ...args }: PutProductSettingsArgs,
    @Ctx() ctx: Context,
  ): Promise<Product> {
    const product = await loadProduct(ctx, args, policies.product.change);
    // If another call saves meanwhile, the update fails, and the mutation runs again.
    if (version != null && version !== versionOf(product.settings))
      throw conflict('Somebody else saved settings of this product: read them, and make your change from them again.');
    const faults = faultsOfSettings(settings, product.variables);
    if (faults.length > 0) throw invalid(faults);
    product.set(settings);
    await ctx.update(product);
    return product;
  }
}
