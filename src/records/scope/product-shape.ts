import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import type { DecodableVariable } from '#records/decode/layout.js';
import { compileDerivation, type Derivation } from '#records/derive/derivation.js';
import { type Slot, type SlotKind, slotKind } from './slot.js';
import { variablesFor } from './variable.js';

/** A pool or one of its connections. */
export type PoolOrClient = Pool | PoolClient;

/** A variable as its product declares it. */
interface DeclaredVariable extends DecodableVariable {
  unit?: string | null;
  /** Present for a derived variable. */
  formula?: string;
}

/** The parts of a product that storing needs: how to decode frames and where to put values. */
export interface ProductShape {
  variables: readonly DeclaredVariable[];
  slots: readonly Slot[];
  /** Computes the derived variables; absent in a product without any. */
  derivation?: Derivation | undefined;
}

/** A product as an organization uses it. */
export interface ProductUse {
  id: string;
  /**
   * Whether it belongs to another organization. Such a product that is no longer public applies as it was when it
   * stopped being public.
   */
  foreign: boolean;
}

interface Row extends ProductUse {
  version: string;
  variables: DeclaredVariable[];
  slots: Slot[] | null;
}

/** Cache of shapes by product, valid while the product's version is unchanged. */
export class ProductShapes {
  private readonly shapes = new Map<string, ProductShape & { version: string }>();

  /** Returns the shape of a product as {@link load} last saw it. */
  get(use: ProductUse): ProductShape | undefined {
    return this.shapes.get(keyOf(use));
  }

  /** Loads the shapes of products that are new or have changed, and assigns a slot to each of their variables. */
  async load(database: PoolOrClient, products: Iterable<ProductUse & { version: string }>): Promise<void> {
    const wanted = new Map<string, ProductUse>();
    for (const product of products) {
      const key = keyOf(product);
      if (this.shapes.get(key)?.version !== product.version) wanted.set(key, product);
    }
    if (wanted.size === 0) return;
    if (this.shapes.size + wanted.size > capacity) this.shapes.clear();
    for (const [key, shape] of await loadShapes(database, [...wanted.values()])) this.shapes.set(key, shape);
  }
}

const keyOf = ({ id, foreign }: ProductUse): string => (foreign ? `${id} foreign` : id);

/** Maximum number of products whose shape is cached. */
const capacity = 10_000;

type Shape = ProductShape & { version: string };

/**
 * Loads a product's current shape for an organization, with a slot for each of its variables. Returns undefined if the
 * product does not exist.
 */
export const loadShape = async (
  database: PoolOrClient,
  productId: string,
  organizationId: string,
): Promise<Shape | undefined> => {
  const { rows } = await database.query<ProductUse>(
    sql`select id, organization_id <> ${organizationId} as "foreign" from product where id = ${productId}`,
  );
  return rows[0] && (await loadShapes(database, rows)).get(keyOf(rows[0]));
};

/** Loads the shapes of many products in the same number of statements. */
const loadShapes = async (database: PoolOrClient, products: readonly ProductUse[]): Promise<Map<string, Shape>> => {
  const shapes = new Map<string, Shape>();
  for (let wanted = products; wanted.length > 0; ) {
    const { rows } = await database.query<Row>(sql`
      select p.id, w."foreign", p.xmin::text as version,
        ${variablesFor(sql`case when w."foreign" then null else p.organization_id end`)} as variables,
        (select json_agg(json_build_object('name', name, 'type', type, 'kind', kind, 'slot', slot))
         from product_slot where product_id = p.id) as slots
      from unnest(${wanted.map(({ id }) => id)}::uuid[], ${wanted.map(({ foreign }) => foreign)}::boolean[]) w (id, "foreign")
      join product p using (id)`);
    const missing: Missing[] = [];
    const incomplete: ProductUse[] = [];
    for (const { id, foreign, version, variables, slots } of rows) {
      const found = variables.map(({ name, type }) => slots?.find((slot) => slot.name === name && slot.type === type));
      if (found.every((slot) => slot !== undefined))
        shapes.set(keyOf({ id, foreign }), { version, variables, slots: found, derivation: derivationOf(variables) });
      else {
        missing.push(...variables.filter((_variable, index) => !found[index]).map((one) => ({ id, ...one })));
        incomplete.push({ id, foreign });
      }
    }
    // Another process may take the same slot at the same time. Then one of the two finds its variable missing and
    // repeats.
    if (missing.length > 0) await makeSlots(database, missing);
    wanted = incomplete;
  }
  return shapes;
};

const derivationOf = (variables: readonly DeclaredVariable[]): Derivation | undefined => {
  const derived = variables.flatMap(({ formula, ...one }) => (formula === undefined ? [] : [{ ...one, formula }]));
  if (derived.length === 0) return undefined;
  return compileDerivation(
    variables.filter(({ formula }) => formula === undefined),
    derived,
  );
};

/** A variable without a slot. */
interface Missing extends DecodableVariable {
  id: string;
}

const makeSlots = async (database: PoolOrClient, variables: readonly Missing[]): Promise<void> => {
  const kinds: SlotKind[] = variables.map(({ type }) => slotKind(type));
  await database.query(sql`
    insert into product_slot (product_id, name, type, kind, slot)
    select id, name, type, kind,
      row_number() over (partition by id, kind order by place)
      + coalesce((select max(slot) from product_slot s where s.product_id = w.id and s.kind = w.kind), 0)
    from unnest(${variables.map(({ id }) => id)}::uuid[], ${variables.map(({ name }) => name)}::text[],
        ${variables.map(({ type }) => type)}::text[], ${kinds}::text[])
      with ordinality w (id, name, type, kind, place)
    order by id
    on conflict do nothing`);
};
