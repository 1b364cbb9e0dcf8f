import sql, { type Sql } from 'sql-template-tag';
import { nilId } from '#entities/id.js';
import { variablesFor } from '#records/postgres/variable.js';
import type { Fields } from '#search/field/field.js';
import { fieldsAmong, fieldsOf, type KnownFields } from '#search/field/resolve.js';
import type { Rows } from '../snapshot-reader.js';

/** Organization and products whose fields a search may name. */
export interface FieldScope {
  readonly organizationId: string;
  /** Empty: all products that the organization owns or uses. */
  readonly productIds: readonly string[];
  /**
   * If no products are named, only products that the application's devices have, or have records of, can disagree on a
   * type.
   */
  readonly applicationId?: string | undefined;
}

/**
 * Columns of everything a search may name: the variables of the products in scope, and the organization's catalogue of
 * undeclared fields.
 */
export const fieldColumns = ({ organizationId, productIds, applicationId }: FieldScope): Sql => {
  const used =
    productIds.length > 0 || applicationId === undefined
      ? sql`null::json`
      : sql`(select coalesce(json_agg(product_id), '[]') from (
          select d.product_id from application_device a join device d on d.id = a.device_id where a.application_id = ${applicationId}::uuid
          union select s.product_id from application_device a join record_source s on s.device_id = a.device_id
            where a.application_id = ${applicationId}::uuid) x where product_id is not null)`;
  const own = sql`p.organization_id = ${organizationId}::uuid or p.id in (select product_id from device where organization_id = ${organizationId}::uuid)`;
  // The types of another organization's private product are not told: a query answers as if there were no such product.
  const inScope =
    productIds.length > 0
      ? sql`p.id = any(${productIds}::uuid[]) and (p.public or ${own} or exists (
          select from record_source s
           where s.organization_id = ${organizationId}::uuid and s.product_id = p.id))`
      : sql`(${own})`;
  return sql`
    (select coalesce(json_agg(x), '[]') from (
      select p.id as "productId", v.value ->> 'name' as name, v.value ->> 'type' as type, s.slot
      from product p
      cross join lateral jsonb_array_elements(${variablesFor(sql`${organizationId}::uuid`)}) v
      left join product_slot s on s.product_id = p.id and s.name = v.value ->> 'name' and s.type = v.value ->> 'type'
      where ${inScope} order by p.id) x) as declared,
    (select coalesce(json_agg(x), '[]') from (
      select path, keys, kind, multi from record_field where organization_id = ${organizationId}::uuid order by path limit 10000) x) as seen,
    ${used} as used`;
};

/** Reads the fields of a scope, from {@link fieldColumns}. */
export const loadFields = async (rows: Rows, scope: FieldScope): Promise<Fields> => {
  const [found] = await rows<KnownFields>(sql`select ${fieldColumns(scope)}`);
  return fieldsOf(found!, scope.productIds);
};

/**
 * Reads the names of an application's fields: the variables of the products that its devices have, or have records of,
 * and what devices of these products sent. A field that no device sent since the service notes products is a field of
 * every application.
 */
export const loadNames = async (
  rows: Rows,
  { organizationId, applicationId }: { organizationId: string; applicationId: string },
): Promise<ReadonlySet<string>> => {
  const found = await rows<{ path: string }>(sql`
    with used as materialized (
      select d.product_id from application_device a join device d on d.id = a.device_id
        where a.application_id = ${applicationId}::uuid
      union
      select s.product_id from application_device a join record_source s on s.device_id = a.device_id
        where a.application_id = ${applicationId}::uuid)
    select 'data.' || (v.value ->> 'name') as path
      from product p cross join lateral jsonb_array_elements(${variablesFor(sql`${organizationId}::uuid`)}) v
      where p.id in (select product_id from used)
    union
    select f.path from record_field f where f.organization_id = ${organizationId}::uuid and (
      exists (select from record_field_product o where o.organization_id = f.organization_id and o.path = f.path
        and o.product_id in (select coalesce(product_id, ${nilId}::uuid) from used))
      or not exists (select from record_field_product o where o.organization_id = f.organization_id and o.path = f.path))`);
  return new Set(found.map(({ path }) => path));
};

/**
 * Reads the fields and returns a function that limits them to the records of some products (undefined: records without
 * a product).
 */
export const loadFieldsAmong = async (
  rows: Rows,
  organizationId: string,
): Promise<(products: readonly (string | undefined)[]) => Fields> => {
  const [found] = await rows<KnownFields>(sql`select ${fieldColumns({ organizationId, productIds: [] })}`);
  return (products) => fieldsAmong(found!, products);
};
