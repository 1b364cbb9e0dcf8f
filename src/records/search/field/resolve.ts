import sql, { type Sql } from 'sql-template-tag';
import { illegalArgument } from '../failure.js';
import type { Rows } from '../lane.js';
import { globOf } from '../syntax/glob.js';
import { type DeclaredVariable, declaredField, kindOfVariable, type SeenField, seenField } from './catalogue.js';
import type { Field, Fields } from './field.js';
import { reservedFields } from './reserved.js';

/** What {@link fieldColumns} answers. */
export interface FieldRows {
  declared: DeclaredVariable[];
  seen: SeenField[];
  /** The products that devices of the application have, or have records of; of all scopes but an application's: null. */
  used: string[] | null;
}

/** Whose fields a search may name. */
export interface FieldScope {
  readonly organizationId: string;
  /** Empty: all products that the organization has or uses. */
  readonly productIds: readonly string[];
  /** Where no products are named: only those that its devices have, or have records of, can disagree on a type. */
  readonly applicationId?: string | undefined;
}

/** Columns of what a search may name: the variables of the products in scope and the catalogue of the organization. */
export const fieldColumns = ({ organizationId, productIds, applicationId }: FieldScope): Sql => {
  const used =
    productIds.length > 0 || applicationId === undefined
      ? sql`null::json`
      : sql`(select coalesce(json_agg(product_id), '[]') from (
          select d.product_id from application_device a join device d on d.id = a.device_id where a.application_id = ${applicationId}::uuid
          union select s.product_id from application_device a join record_source s on s.device_id = a.device_id
            where a.application_id = ${applicationId}::uuid) x where product_id is not null)`;
  const inScope =
    productIds.length > 0
      ? sql`p.id = any(${productIds}::uuid[])`
      : sql`(p.organization_id = ${organizationId}::uuid or p.id in (select product_id from device where organization_id = ${organizationId}::uuid))`;
  return sql`
    (select coalesce(json_agg(x), '[]') from (
      select p.id as "productId", v.value ->> 'name' as name, v.value ->> 'type' as type, s.slot
      from product p
      cross join jsonb_array_elements(p.variables) v
      left join product_slot s on s.product_id = p.id and s.name = v.value ->> 'name' and s.type = v.value ->> 'type'
      where ${inScope} order by p.id) x) as declared,
    (select coalesce(json_agg(x), '[]') from (
      select path, keys, kind, multi from record_field where organization_id = ${organizationId}::uuid order by path limit 10000) x) as seen,
    ${used} as used`;
};

/** The fields that {@link fieldColumns} has found. */
export const fieldsOf = ({ declared, seen, used }: FieldRows, productIds: readonly string[]): Fields =>
  resolver(used === null ? declared : among(declared, used), seen, productIds);

/** Reads the fields of a scope: see {@link fieldColumns}. */
export const loadFields = async (rows: Rows, scope: FieldScope): Promise<Fields> => {
  const [found] = await rows<FieldRows>(sql`select ${fieldColumns(scope)}`);
  return fieldsOf(found!, scope.productIds);
};

/** Reads the fields as records of some products have them (undefined: of no product), see {@link among}. */
export const loadFieldsAmong = async (
  rows: Rows,
  organizationId: string,
): Promise<(products: readonly (string | undefined)[]) => Fields> => {
  const [found] = await rows<FieldRows>(sql`select ${fieldColumns({ organizationId, productIds: [] })}`);
  const { declared, seen } = found!;
  return (products) => {
    const named = products.filter((id) => id !== undefined);
    return resolver(among(declared, named), seen, named.length === products.length ? named : []);
  };
};

/**
 * The variables of some products. What none of these declares is as the organization's other products declare it, where they
 * agree, else as it was seen: a product that no record in question is of never makes a query fail.
 */
const among = (declared: readonly DeclaredVariable[], products: readonly string[]): DeclaredVariable[] => {
  const named = new Set(products);
  return [...Map.groupBy(declared, ({ name }) => name).values()].flatMap((variables) => {
    const own = variables.filter(({ productId }) => named.has(productId));
    if (own.length > 0) return own;
    return disagreement(variables) ? [] : variables;
  });
};

/** The fields, from what is declared and what was seen. */
const resolver = (
  declared: readonly DeclaredVariable[],
  seen: readonly SeenField[],
  products: readonly string[],
): Fields => {
  const variables = Map.groupBy(declared, ({ name }) => `data.${name}`);
  const catalogue = new Map(seen.map((field) => [field.path, field]));
  const bound = new Map<string, Field | undefined>(reservedFields);
  const bind = (path: string): Field | undefined => {
    const found = variables.get(path);
    const known = catalogue.get(path);
    if (found === undefined) return known && seenField(known);
    refuseConflict(path, found);
    const declaring = new Set(found.map(({ productId }) => productId));
    const onlyThese = products.length > 0 && products.every((id) => declaring.has(id));
    return declaredField(path, found, known?.multi ?? false, onlyThese);
  };
  const find = (path: string) => {
    if (!bound.has(path)) bound.set(path, bind(path));
    return bound.get(path);
  };
  const paths = () => [...new Set([...reservedFields.keys(), ...variables.keys(), ...catalogue.keys()])];
  return {
    find,
    paths,
    matching: (pattern) =>
      paths()
        .filter(globOf(pattern))
        .flatMap((path) => find(path) ?? []),
  };
};

const refuseConflict = (path: string, declared: readonly DeclaredVariable[]): void => {
  const kinds = disagreement(declared);
  if (!kinds) return;
  throw illegalArgument(
    `Field [${path}] has different types in the products of this query: [${kinds.join(', ')}]. Name products that agree.`,
  );
};

/** The kinds of a variable, where its products disagree on it; whole numbers and fractions go together. */
const disagreement = (declared: readonly DeclaredVariable[]): string[] | undefined => {
  const kinds = new Set(declared.map(({ type }) => kindOfVariable[type]));
  const onlyNumbers = [...kinds].every((kind) => kind === 'long' || kind === 'double');
  return kinds.size < 2 || onlyNumbers ? undefined : [...kinds].sort();
};
