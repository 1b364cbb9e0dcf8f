import sql, { type Sql } from 'sql-template-tag';
import { nilId } from '#entities/id.js';
import type { Rows } from '#records/scope/snapshot-reader.js';
import { variablesFor } from '#records/scope/variable.js';
import type { Fields } from '#search/field/field.js';
import { fieldsAmong, fieldsOf, type KnownFields, type ProductFields } from '#search/field/resolve.js';

/** Organization, application and products whose fields a search may name. */
export interface FieldScope {
  readonly organizationId: string;
  /** Its devices' products, and those of their records, determine which fields exist. */
  readonly applicationId: string;
  /** Empty: all products that the application's devices have, or have records of. */
  readonly productIds: readonly string[];
  /** Whether attributes of devices are unknown, as for a link to a dashboard. */
  readonly withoutAttributes?: boolean | undefined;
}

/** Selects the products (null for none) that an application's devices have, or have records of. */
const productsOf = (applicationId: string): Sql => sql`
  select d.product_id from application_device a join device d on d.id = a.device_id
    where a.application_id = ${applicationId}::uuid
  union
  select s.product_id from application_device a join record_source s on s.device_id = a.device_id
    where a.application_id = ${applicationId}::uuid`;

/** Selects the products that an organization owns or uses. The table of products is `p`. */
const ownProducts = (organizationId: string): Sql =>
  sql`(p.organization_id = ${organizationId}::uuid or p.id in (select product_id from device where organization_id = ${organizationId}::uuid))`;

/** JSON array of the variables of the products that meet a condition. */
const declaredBy = (organizationId: string, condition: Sql): Sql => sql`
  (select coalesce(json_agg(x), '[]') from (
    select p.id as "productId", v.value ->> 'name' as name, v.value ->> 'type' as type, s.slot
    from product p
    cross join lateral jsonb_array_elements(${variablesFor(sql`${organizationId}::uuid`)}) v
    left join product_slot s on s.product_id = p.id and s.name = v.value ->> 'name' and s.type = v.value ->> 'type'
    where ${condition} order by p.id) x)`;

/**
 * JSON array of the names of an organization's attributes of devices, with the types of their values. It takes one look
 * into the index for each name.
 */
const attributesOf = (organizationId: string): Sql => {
  const rows = sql`from attribute
        where organization_id = ${organizationId}::uuid and device_id is not null and value is not null`;
  const first = sql`order by name, jsonb_typeof(value) limit 1`;
  return sql`(
    with recursive found as (
      (select name, jsonb_typeof(value) as kind ${rows} ${first})
      union all
      select n.name, n.kind from found cross join lateral (
        select name, jsonb_typeof(value) as kind ${rows} and (name, jsonb_typeof(value)) > (found.name, found.kind) ${first}) n)
    select coalesce(json_agg(x), '[]') from (select name, kind from found limit 1000) x)`;
};

/**
 * JSON of everything a search may name, as {@link KnownFields}: the variables of the products in scope, and the fields
 * that devices of the application's products sent. What only other applications have answers like what nobody has.
 */
export const knownFields = (scope: FieldScope): Sql => {
  const { organizationId, productIds, applicationId } = scope;
  // The types of another organization's private product are not told: a query answers as if there were no such product.
  const inScope =
    productIds.length > 0
      ? sql`p.id = any(${productIds}::uuid[]) and (p.public or ${ownProducts(organizationId)} or exists (
          select from record_source s
           where s.organization_id = ${organizationId}::uuid and s.product_id = p.id))`
      : sql`p.id in (select product_id from used)`;
  return sql`
    (with used as materialized (${productsOf(applicationId)})
    select json_build_object(
      'declared', ${declaredBy(organizationId, inScope)},
      'seen', (select coalesce(json_agg(x), '[]') from (
        select path, keys, kind, multi from record_field
        where organization_id = ${organizationId}::uuid and (not by_product or path in (
          select path from record_field_product where organization_id = ${organizationId}::uuid
            and product_id in (select coalesce(product_id, ${nilId}::uuid) from used)))
        order by path limit 10000) x),
      'attributes', ${scope.withoutAttributes ? sql`'[]'::json` : attributesOf(organizationId)}))`;
};

export const loadFields = async (rows: Rows, scope: FieldScope): Promise<Fields> => {
  const [found] = await rows<{ known: KnownFields }>(sql`select ${knownFields(scope)} as known`);
  return fieldsOf(found!.known, scope.productIds);
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
    with used as materialized (${productsOf(applicationId)})
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
 * Reads the fields of records of some products (undefined: records without a product), and returns a function that
 * limits them to some of these products.
 */
export const loadFieldsAmong = async (
  rows: Rows,
  organizationId: string,
  products: readonly (string | undefined)[],
): Promise<(products: readonly (string | undefined)[]) => Fields> => {
  const ids = products.map((id) => id ?? nilId);
  const [found] = await rows<ProductFields>(sql`
    select ${declaredBy(organizationId, sql`p.id = any(${ids}::uuid[]) and ${ownProducts(organizationId)}`)} as declared,
    (select coalesce(json_agg(x), '[]') from (
      select path, keys, kind, multi, case when by_product then o.products end as products
      from record_field f left join (
        select path, json_agg(product_id) as products from record_field_product
        where organization_id = ${organizationId}::uuid and product_id = any(${ids}::uuid[]) group by path) o using (path)
      where f.organization_id = ${organizationId}::uuid and (o.path is not null or not by_product)
      order by path limit 10000) x) as seen,
    ${attributesOf(organizationId)} as attributes`);
  return (chosen) => fieldsAmong(found!, chosen);
};
