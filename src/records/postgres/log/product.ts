import sql from 'sql-template-tag';
import type { DecodableVariable } from '../../decode/layout.js';
import { type Slot, type SlotKind, slotKind } from '../slot.js';
import type { Database } from './device.js';

/** A variable as its product declares it. */
interface DeclaredVariable extends DecodableVariable {
  unit?: string | null;
}

/** What storing needs of a product: how frames are decoded and where values go. */
export interface ProductShape {
  variables: readonly DeclaredVariable[];
  slots: readonly Slot[];
}

interface Row {
  id: string;
  version: string;
  variables: DeclaredVariable[];
  slots: Slot[] | null;
}

/** Shapes by product; kept as long as the product's version stands. */
export class ProductShapes {
  private readonly known = new Map<string, ProductShape & { version: string }>();

  /** The shape of a product, as {@link load} last saw it. */
  get(productId: string): ProductShape | undefined {
    return this.known.get(productId);
  }

  /** Loads the shapes of products that are new or have another version, and gives each of their variables its slot. */
  async load(database: Database, products: Iterable<{ id: string; version: string }>): Promise<void> {
    const wanted = new Set<string>();
    for (const { id, version } of products) if (this.known.get(id)?.version !== version) wanted.add(id);
    if (wanted.size === 0) return;
    if (this.known.size + wanted.size > capacity) this.known.clear();
    for (const [id, shape] of await loadShapes(database, [...wanted])) this.known.set(id, shape);
  }
}

/** Products whose shape is kept in memory. */
const capacity = 10_000;

type Shape = ProductShape & { version: string };

/** A product's shape at its present version, with a slot for each of its variables; undefined where there is no product. */
export const loadShape = async (database: Database, productId: string): Promise<Shape | undefined> =>
  (await loadShapes(database, [productId])).get(productId);

/** The same of many, in as many statements. */
const loadShapes = async (database: Database, productIds: readonly string[]): Promise<Map<string, Shape>> => {
  const shapes = new Map<string, Shape>();
  for (let wanted = productIds; wanted.length > 0; ) {
    const { rows } = await database.query<Row>(sql`
      select p.id, p.xmin::text as version, p.variables,
        (select json_agg(json_build_object('name', name, 'type', type, 'kind', kind, 'slot', slot))
         from product_slot where product_id = p.id) as slots
      from product p where p.id = any(${wanted}::uuid[])`);
    const missing: Missing[] = [];
    for (const { id, version, variables, slots } of rows) {
      const found = variables.map(({ name, type }) => slots?.find((slot) => slot.name === name && slot.type === type));
      if (found.every((slot) => slot !== undefined)) shapes.set(id, { version, variables, slots: found });
      else missing.push(...variables.filter((_variable, index) => !found[index]).map((one) => ({ id, ...one })));
    }
    // Another process may take the same slot at the same time: then one of the two finds its variable missing and asks again.
    if (missing.length > 0) await makeSlots(database, missing);
    wanted = [...new Set(missing.map(({ id }) => id))];
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
