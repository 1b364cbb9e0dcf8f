import sql from 'sql-template-tag';
import { nilId } from '#entities/id.js';
import type { PlainJson } from '#json/json.js';
import type { PlainObject } from '#records/item.js';
import type { PoolOrClient } from '#records/scope/product-shape.js';
import type { RecordDevice } from '#records/stored-record.js';

/** Kind of a field in the catalogue: that of its first value. */
export type FieldKind = 'number' | 'boolean' | 'text';

interface Field {
  keys: readonly string[];
  kind: FieldKind;
  multi: boolean;
}

/** A field to add to the catalogue, and the products of the devices that sent it. */
interface NotedField extends Field {
  products: Set<string>;
}

/** Maximum number of fields in an organization's catalogue. Values of further fields are stored but not searchable. */
const maxFields = 10_000;

/**
 * Maximum length of a path in the catalogue, in UTF-16 units of at most three bytes, so that its index can hold the
 * path. Values of longer paths are not searchable either.
 */
const maxPathLength = 512;

/** Maximum number of cached paths of an organization, over all products: their fields, and the paths above them. */
const maxPaths = 5 * maxFields;

/** Maximum number of organizations whose fields are cached. */
const maxOrganizations = 1000;

/** Cache of a product's part of the catalogue as a tree of keys. Visiting the values of a record creates no strings. */
class FieldNode {
  /** Whether this path holds values, and whether it holds arrays of them. */
  single = false;
  multi = false;
  private readonly below = new Map<string, FieldNode>();

  /** @param size number of cached paths of the organization, at all depths */
  constructor(private readonly size: { paths: number }) {}

  /** Returns the node of a key. It is not cached if the limit is reached. */
  at(key: string): FieldNode {
    let node = this.below.get(key);
    if (!node) {
      node = new FieldNode(this.size);
      if (this.size.paths < maxPaths) {
        this.size.paths++;
        this.below.set(key, node);
      }
    }
    return node;
  }
}

/** Cached paths of an organization, by product. */
interface Roots {
  size: { paths: number };
  products: Map<string, FieldNode>;
}

/** The catalogue of organizations' fields (`record_field`, `record_field_product`), and a cache of it. */
export class Fields {
  private readonly roots = new Map<string, Roots>();
  private readonly unseen = new Map<string, Map<string, NotedField>>();

  /** Notes the fields of a record. Paths join keys by dots: `data.temperature`, `metadata.decode.status`. */
  note({ organizationId, product }: RecordDevice, metadata: PlainObject, data: PlainObject): void {
    const productId = product?.id ?? nilId;
    const node = this.rootOf(organizationId, productId);
    const add = (keys: readonly string[], kind: FieldKind, multi: boolean) =>
      this.add(organizationId, productId, { keys, kind, multi });
    visit(node.at('metadata'), metadata, false, ['metadata'], add);
    visit(node.at('data'), data, false, ['data'], add);
  }

  /** Adds the noted fields that are missing to the catalogue. */
  async flush(database: PoolOrClient): Promise<void> {
    for (const [organizationId, fields] of this.unseen) {
      this.unseen.delete(organizationId);
      await addFields(database, organizationId, fields);
      for (const { keys, multi, products } of fields.values())
        for (const productId of products) {
          const node = keys.reduce((above, key) => above.at(key), this.rootOf(organizationId, productId));
          node.single = true;
          node.multi ||= multi;
        }
    }
  }

  private rootOf(organizationId: string, productId: string): FieldNode {
    let roots = this.roots.get(organizationId);
    if (!roots) {
      if (this.roots.size >= maxOrganizations) this.roots.clear();
      roots = { size: { paths: 0 }, products: new Map() };
      this.roots.set(organizationId, roots);
    }
    let node = roots.products.get(productId);
    if (!node) {
      // A root counts like a path, so that devices of ever new products cannot fill the memory.
      if (roots.size.paths++ >= maxPaths) return new FieldNode(roots.size);
      node = new FieldNode(roots.size);
      roots.products.set(productId, node);
    }
    return node;
  }

  private add(organizationId: string, productId: string, field: Field): void {
    const path = field.keys.join('.');
    if (path.length > maxPathLength) return;
    let fields = this.unseen.get(organizationId);
    if (!fields) {
      fields = new Map();
      this.unseen.set(organizationId, fields);
    }
    const noted = fields.get(path);
    if (!noted && fields.size >= maxFields) return;
    if (!noted) fields.set(path, { ...field, products: new Set([productId]) });
    else {
      noted.multi ||= field.multi;
      noted.products.add(productId);
    }
  }
}

type Add = (keys: readonly string[], kind: FieldKind, multi: boolean) => void;

/** Calls `add` for each value whose path is not cached. `path` is the path of `value`, and is unchanged afterwards. */
const visit = (node: FieldNode, value: PlainJson, multi: boolean, path: string[], add: Add): void => {
  if (value === null) return;
  if (typeof value !== 'object') {
    if (!node.single || (multi && !node.multi)) add([...path], kindOf(value), multi);
  } else if (Array.isArray(value)) {
    for (const inner of value) visit(node, inner, true, path, add);
  } else {
    for (const key in value) {
      path.push(key);
      visit(node.at(key), value[key]!, multi, path, add);
      path.pop();
    }
  }
};

const kindOf = (value: string | number | boolean): FieldKind =>
  typeof value === 'string' ? 'text' : (typeof value as FieldKind);

const addFields = async (
  database: PoolOrClient,
  organizationId: string,
  fields: ReadonlyMap<string, NotedField>,
): Promise<void> => {
  const rows = [...fields].map(([path, { keys, kind, multi }]) => ({ path, keys, kind, multi }));
  await database.query(sql`
    insert into record_field (organization_id, path, keys, kind, multi, by_product)
    select ${organizationId}, path, keys, kind, multi, true
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as w (path text, keys text[], kind text, multi boolean)
    where exists (select from record_field f where f.organization_id = ${organizationId} and f.path = w.path)
      or path in (
        select path from (select jsonb_array_elements(${JSON.stringify(rows)}::jsonb) ->> 'path' as path) n
        where not exists (select from record_field f where f.organization_id = ${organizationId} and f.path = n.path)
        order by path
        limit greatest(0, ${maxFields} - (select count(*) from record_field where organization_id = ${organizationId})))
    order by path
    on conflict (organization_id, path) do update set multi = true where excluded.multi and not record_field.multi`);
  const sent = [...fields].flatMap(([path, { products }]) => [...products].map((productId) => ({ path, productId })));
  await database.query(sql`
    insert into record_field_product (organization_id, path, product_id)
    select f.organization_id, f.path, w.product_id
    from unnest(${sent.map(({ path }) => path)}::text[], ${sent.map(({ productId }) => productId)}::uuid[]) w (path, product_id)
    join record_field f on f.organization_id = ${organizationId} and f.path = w.path
    order by f.path, w.product_id
    on conflict do nothing`);
};
