import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import type { DecodableVariable } from '../../decode/layout.js';
import { type Slot, type SlotKind, slotKind } from '../slot.js';

/** A pool or one of its connections. */
export type Database = Pool | PoolClient;

/** A variable as its product declares it. */
interface DeclaredVariable extends DecodableVariable {
  unit?: string | null;
}

/** What storing needs of a product: how frames are decoded and where values go. */
export interface ProductShape {
  variables: readonly DeclaredVariable[];
  slots: readonly Slot[];
}

/** A product as an organization uses it. */
export interface ProductUse {
  id: string;
  /** Whether it is another organization's: once taken back from the public, it stays as it was then. */
  foreign: boolean;
}

interface Row extends ProductUse {
  version: string;
  variables: DeclaredVariable[];
  slots: Slot[] | null;
}

/** Shapes by product; kept as long as the product's version stands. */
export class ProductShapes {
  private readonly shapes = new Map<string, ProductShape & { version: string }>();

  /** The shape of a product, as {@link load} last saw it. */
  get(use: ProductUse): ProductShape | undefined {
    return this.shapes.get(keyOf(use));
  }

  /** Loads the shapes of products that are new or have another version, and gives each of their variables its slot. */
  async load(database: Database, products: Iterable<ProductUse & { version: string }>): Promise<void> {
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

/** Products whose shape is kept in memory. */
const capacity = 10_000;

type Shape = ProductShape & { version: string };

/**
 * A product's shape at its present version for an organization, with a slot for each of its variables; undefined where there
 * is no product.
 */
export const loadShape = async (
  database: Database,
  productId: string,
  organizationId: string,
): Promise<Shape | undefined> => {
  const { rows } = await database.query<ProductUse>(
    sql`select id, organization_id <> ${organizationId} as "foreign" from product where id = ${productId}`,
  );
  return rows[0] && (await loadShapes(database, rows)).get(keyOf(rows[0]));
};

/** The same of many, in as many statements. */
const loadShapes = async (database: Database, products: readonly ProductUse[]): Promise<Map<string, Shape>> => {
  const shapes = new Map<string, Shape>();
  for (let wanted = products; wanted.length > 0; ) {
    const { rows } = await database.query<Row>(sql`
      select p.id, w."foreign", p.xmin::text as version,
        case when w."foreign" then coalesce(p.withdrawn -> 'variables', p.variables) else p.variables end as variables,
        (select json_agg(json_build_object('name', name, 'type', type, 'kind', kind, 'slot', slot))
         from product_slot where product_id = p.id) as slots
      from unnest(${wanted.map(({ id }) => id)}::uuid[], ${wanted.map(({ foreign }) => foreign)}::boolean[]) w (id, "foreign")
      join product p using (id)`);
    const missing: Missing[] = [];
    const incomplete: ProductUse[] = [];
    for (const { id, foreign, version, variables, slots } of rows) {
      const found = variables.map(({ name, type }) => slots?.find((slot) => slot.name === name && slot.type === type));
      if (found.every((slot) => slot !== undefined))
        shapes.set(keyOf({ id, foreign }), { version, variables, slots: found });
      else {
        missing.push(...variables.filter((_variable, index) => !found[index]).map((one) => ({ id, ...one })));
        incomplete.push({ id, foreign });
      }
    }
    // Another process may take the same slot at the same time: then one of the two finds its variable missing and asks again.
    if (missing.length > 0) await makeSlots(database, missing);
    wanted = incomplete;
  }
  return shapes;
};

/** A variable of a product that has no slot yet. */
interface Missing extends DecodableVariable {
  id: string;
}

const makeSlots = async (database: Database, variables: readonly Missing[]): Promise<void> => {
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
