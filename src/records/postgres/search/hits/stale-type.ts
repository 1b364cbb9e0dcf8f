import sql from 'sql-template-tag';
import type { Rows } from '#records/scope/snapshot-reader.js';
import { variablesFor } from '#records/scope/variable.js';

/**
 * Reads, for each record, the paths of values that were stored under an older type of their variable. They are in the
 * source, but searches do not find them until the product is decoded again. Only called for products that have changed
 * a type.
 */
export const loadStaleTypes = async (
  rows: Rows,
  recordIds: readonly string[],
): Promise<ReadonlyMap<string, string[]>> => {
  const found = await rows<{ id: string; paths: string[] }>(sql`
    select r.id, array_agg('data.' || v.name order by v.name) as paths
    from record r join product p on p.id = r.product_id
    cross join lateral jsonb_to_recordset(${variablesFor(sql`r.organization_id`)}) v (name text, type text)
    left join product_slot s on s.product_id = p.id and s.name = v.name and s.type = v.type
    where r.id = any(${recordIds}::uuid[])
      and jsonb_path_exists(r.data -> v.name, 'strict $.** ? (@.type() != "null" && @.type() != "array")')
      and case s.kind when 'number' then r.numbers[s.slot] is null when 'text' then r.texts[s.slot] is null else true end
      and (r.many -> v.name) is null and ('data.' || v.name = any(r.ignored)) is not true
    group by r.id`);
  return new Map(found.map(({ id, paths }) => [id, paths]));
};
