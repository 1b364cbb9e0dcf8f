import sql from 'sql-template-tag';
import type { PlainJson } from '#json/json.js';
import type { PlainObject } from '#records/item.js';
import type { Rows } from '#records/scope/snapshot-reader.js';
import { variablesFor } from '#records/scope/variable.js';
import type { Field } from '#search/field/field.js';

/** A shape of documents (see `Shapes`), and the variables that have changed their type since. */
interface OlderShape {
  readonly id: number;
  readonly productId: string;
  readonly names: readonly string[];
}

/**
 * Documents written when variables had other types than now. They have no values of these variables until they are
 * decoded again.
 */
export class OlderTypes {
  private readonly byProduct: ReadonlyMap<string, readonly OlderShape[]>;
  private readonly byId: ReadonlyMap<number, OlderShape>;

  constructor(shapes: readonly OlderShape[]) {
    this.byProduct = Map.groupBy(shapes, ({ productId }) => productId);
    this.byId = new Map(shapes.map((shape) => [shape.id, shape]));
  }

  /** Whether no document has an older type. The shapes of documents then need not be read. */
  get areNone(): boolean {
    return this.byId.size === 0;
  }

  /**
   * Returns the shapes whose documents were written when the variable of a field had another type. They have no value
   * of the field, although the engine may hold a value of that other type under the same name.
   */
  shapesOf({ origin }: Field): readonly number[] {
    if (origin.kind !== 'declared' || this.byId.size === 0) return [];
    return origin.variables.flatMap(({ productId, name }) =>
      (this.byProduct.get(productId) ?? []).flatMap(({ id, names }) => (names.includes(name) ? id : [])),
    );
  }

  /** Returns the paths of a document's values with an older type. */
  pathsIn(shape: number | undefined, data: PlainObject): string[] {
    const names = (shape === undefined ? undefined : this.byId.get(shape)?.names) ?? [];
    return names.filter((name) => hasValue(data[name])).map((name) => `data.${name}`);
  }
}

const hasValue = (value: PlainJson | undefined): boolean => {
  if (value === undefined || value === null) return false;
  return Array.isArray(value) ? value.some(hasValue) : true;
};

/** Reads the shapes with older types for the products of an application. */
export const loadOlderTypes = async (
  rows: Rows,
  { organizationId, applicationId }: { readonly organizationId: string; readonly applicationId: string },
): Promise<OlderTypes> =>
  new OlderTypes(
    await rows<OlderShape>(
      sql`
      select s.id, s.product_id as "productId", array_agg(v.name order by v.name) as names
      from index_shape s join product p on p.id = s.product_id
      cross join lateral jsonb_to_recordset(${variablesFor(sql`${organizationId}::uuid`)}) v (name text, type text)
      where s.types ->> v.name is distinct from v.type and s.product_id in (
        select d.product_id from application_device a join device d on d.id = a.device_id
          where a.application_id = ${applicationId}::uuid
        union select id from product where organization_id = ${organizationId}::uuid)
      group by s.id`,
      'older types',
    ),
  );
