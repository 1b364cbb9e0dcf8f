import sql, { type Sql } from 'sql-template-tag';
import { deviceCount, productRows } from '#auth/rows.js';
import type { Caller } from '#entities/caller.js';
import {
  type Product,
  type RecordedVariable,
  recordedVariables,
  shownVariablesOf,
  type Variable,
} from '#entities/product.js';
import type { Context } from '#schema/context.js';
import type { SelectedFields } from '#schema/selected-fields.js';
import { ignoringCase } from './list.js';
import type { Listing } from './list-read.js';
import { loadById } from './loader.js';

/** Defines a list of products, as `p`. */
export const productListing = (caller: Caller, where: readonly Sql[]): Listing => ({
  rows: (selected, also) => productRows(caller, selected, also),
  from: sql`from product p`,
  where,
  matched: [sql`p.name`, sql`p.slug`, sql`p.version`],
  sortable: {
    id: sql`p.id`,
    organizationId: sql`p.organization_id`,
    name: ignoringCase(sql`p.name`),
    slug: ignoringCase(sql`p.slug`),
    version: sql`p.version`,
    public: sql`p.public`,
    deviceCount: deviceCount(caller),
    createdAt: sql`p.created_at`,
    updatedAt: sql`p.updated_at`,
  },
  order: sql`p.id`,
  tie: sql`p.id`,
});

/**
 * Loads the product of an object that may have none. All objects of a call with the same selection share one statement.
 */
export function productOf(
  ctx: Context,
  productId: string | null | undefined,
  selected: SelectedFields,
): Promise<Product | null> {
  if (productId == null) return Promise.resolve(null);
  const rowsOf = (ids: readonly string[]) => sql`${productRows(ctx.caller, selected)} where p.id = any(${ids}::uuid[])`;
  return loadById(ctx, `product ${selected.key}`, productId, rowsOf);
}

const measured: SelectedFields = {
  has: (field) => field === 'variables' || field === 'settings',
  key: 'settings,variables',
};

/** Returns the variables of a product's records, and how to show them. */
export const shownVariables = async (ctx: Context, productId: string): Promise<RecordedVariable[]> => {
  const product = await productOf(ctx, productId, measured);
  return product === null ? [] : shownVariablesOf(product);
};

/**
 * Returns the variables of the product of an object that may have none, derived ones included; an empty list without a
 * product.
 */
export const variablesOf = async (ctx: Context, productId: string | null | undefined): Promise<readonly Variable[]> => {
  const product = await productOf(ctx, productId, measured);
  return product === null ? [] : recordedVariables(product);
};
