import type { Pool } from 'pg';
import { type ProductShape, ProductShapes } from '#records/scope/product-shape.js';
import type { Slot } from '#records/scope/slot.js';
import type { BulkItem, Refused } from './bulk.js';
import { type DocumentShape, documentOf } from './document.js';
import type { IndexNames } from './indices.js';
import type { IndexableRow } from './journal/read.js';
import type { FieldPlaces, OrganizationPlaces, PathKind } from './place.js';
import { Shapes } from './shape.js';

/** A document with the record that it was made from. */
export interface MadeItem extends BulkItem {
  row: IndexableRow;
}

/** Documents of records, and records that no document can be made of. */
export interface Made {
  items: MadeItem[];
  refused: Refused<{ row: IndexableRow }>[];
}

/**
 * Makes documents of records. It finds the types of their products and the places of their values, and assigns missing
 * places.
 */
export class DocumentMaker {
  private readonly products = new ProductShapes();
  private readonly shapes: Shapes;
  private readonly known = new WeakMap<ProductShape, DocumentShape>();

  constructor(
    private readonly pool: Pool,
    private readonly places: FieldPlaces,
    private readonly names: IndexNames,
  ) {
    this.shapes = new Shapes(pool);
  }

  /** Makes the documents of records. `versionOf` returns their versions; a new document has version 1. */
  async make(rows: readonly IndexableRow[], versionOf: (row: IndexableRow) => number = () => 1): Promise<Made> {
    const uses = rows.flatMap(({ productId: id, foreign, version }) =>
      id === null || foreign === null || version === null ? [] : [{ id, foreign, version }],
    );
    await this.products.load(this.pool, uses);
    for (const use of uses) await this.prepareShape(use.id, this.products.get(use));
    const made: Made = { items: [], refused: [] };
    let places = await this.places.of([...new Set(rows.map(({ organizationId }) => organizationId))]);
    // A path that has just got its place is not missing again.
    for (let open = rows; open.length > 0; ) {
      const missing = new Map<string, Map<string, PathKind>>();
      this.makeSome(open, { places, missing, made, versionOf });
      if (missing.size === 0) break;
      for (const [organizationId, wanted] of missing) await this.places.assign(organizationId, [...wanted.values()]);
      places = await this.places.of([...missing.keys()]);
      open = open.filter(({ organizationId }) => missing.has(organizationId));
    }
    return made;
  }

  private makeSome(rows: readonly IndexableRow[], { places, missing, made, versionOf }: Round): void {
    const some: MadeItem[] = [];
    for (const row of rows) {
      const { organizationId } = row;
      const wants = (one: PathKind) => {
        const wanted = missing.get(organizationId) ?? new Map<string, PathKind>();
        missing.set(organizationId, wanted.set(`${one.kind} ${one.path}`, one));
      };
      try {
        const document = documentOf(row, { places: places.get(organizationId)!, shape: this.shapeOf(row), wants });
        const index = this.names.of(row.us / 1e6);
        some.push({ id: row.id, index, routing: organizationId, version: versionOf(row), document, row });
      } catch (error) {
        made.refused.push({ item: { row }, reason: `no document: ${String(error)}` });
      }
    }
    made.items.push(...some.filter(({ routing }) => !missing.has(routing)));
    if (missing.size > 0) made.refused = made.refused.filter(({ item }) => !missing.has(item.row.organizationId));
  }

  private shapeOf({ productId, foreign }: IndexableRow): DocumentShape | undefined {
    if (productId === null || foreign === null) return undefined;
    const shape = this.products.get({ id: productId, foreign });
    return shape && this.known.get(shape);
  }

  private async prepareShape(productId: string, shape: ProductShape | undefined): Promise<void> {
    if (!shape || this.known.has(shape)) return;
    const slots = new Map(shape.slots.map((slot): [string, Slot] => [slot.name, slot]));
    this.known.set(shape, { id: await this.shapes.idOf(productId, shape.slots), slots });
  }
}

interface Round {
  places: ReadonlyMap<string, OrganizationPlaces>;
  missing: Map<string, Map<string, PathKind>>;
  made: Made;
  versionOf(row: IndexableRow): number;
}
