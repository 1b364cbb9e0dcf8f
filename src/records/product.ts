import sql from 'sql-template-tag';
import type { DecodableVariable } from './decode/layout.js';
import type { Database } from './device.js';
import { type Slot, type SlotKind, slotKind } from './slot.js';

/** What storing needs of a product: how frames are decoded and where values go. */
export interface ProductShape {
  variables: readonly DecodableVariable[];
  slots: readonly Slot[];
}

interface Row {
  id: string;
  version: string;
  variables: DecodableVariable[];
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
    for (const id of wanted) {
      const shape = await loadShape(database, id);
      if (shape) this.known.set(id, shape);
    }
  }
}

/** Products whose shape is kept in memory. */
const capacity = 10_000;

/** A product's shape at its present version, with a slot for each of its variables; undefined where there is no product. */
export const loadShape = async (
  database: Database,
  productId: string,
): Promise<(ProductShape & { version: string }) | undefined> => {
  for (;;) {
    const { rows } = await database.query<Row>(sql`
      select p.id, p.xmin::text as version, p.variables,
        (select json_agg(json_build_object('name', name, 'type', type, 'kind', kind, 'slot', slot))
         from product_slot where product_id = p.id) as slots
      from product p where p.id = ${productId}`);
    const [row] = rows;
    if (!row) return undefined;
    const slots = row.variables.map(({ name, type }) =>
      row.slots?.find((slot) => slot.name === name && slot.type === type),
    );
    if (slots.every((slot) => slot !== undefined)) return { version: row.version, variables: row.variables, slots };
    // Another process may take the same slot at the same time: then one of the two finds its variable missing and asks again.
    await makeSlots(
      database,
      productId,
      row.variables.filter((_variable, index) => !slots[index]),
    );
  }
};

const makeSlots = async (
  database: Database,
  productId: string,
  variables: readonly DecodableVariable[],
): Promise<void> => {
  const kinds: SlotKind[] = variables.map(({ type }) => slotKind(type));
  await database.query(sql`
    insert into product_slot (product_id, name, type, kind, slot)
    select ${productId}, name, type, kind,
      row_number() over (partition by kind order by place)
      + coalesce((select max(slot) from product_slot s where s.product_id = ${productId} and s.kind = w.kind), 0)
    from unnest(${variables.map(({ name }) => name)}::text[], ${variables.map(({ type }) => type)}::text[], ${kinds}::text[])
      with ordinality w (name, type, kind, place)
    on conflict do nothing`);
};
