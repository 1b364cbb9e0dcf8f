import sql, { empty } from 'sql-template-tag';
import type { BlockRecord } from '#records/postgres/blocks/block-records.js';
import type { Rows } from '#records/scope/snapshot-reader.js';
import { variablesFor } from '#records/scope/variable.js';
import type { ShownRecords } from './block-hit.js';

/**
 * Reads, for each record, the paths of values that were stored under an older type of their variable. They are in the
 * source, but searches do not find them until the product is decoded again. Only called for products that have changed
 * a type.
 */
export const loadStaleTypes = async (
  rows: Rows,
  recordIds: readonly string[],
  { organizationId, inBlocks }: ShownRecords,
): Promise<ReadonlyMap<string, string[]>> => {
  const decoded = recordIds.flatMap((id) => inBlocks.get(id)?.record ?? []);
  const beside =
    decoded.length === 0
      ? empty
      : sql`
      union all
      select x.id, ${organizationId}::uuid, x.product_id, x.data, x.numbers, x.texts, x.many, x.ignored
      from jsonb_to_recordset(${jsonOf(decoded)}::jsonb)
        x (id uuid, product_id uuid, data jsonb, numbers float8[], texts text[], many jsonb, ignored text[])`;
  const found = await rows<{ id: string; paths: string[] }>(sql`
    select r.id, array_agg('data.' || v.name order by v.name) as paths
    from (
      select id, organization_id, product_id, data, numbers, texts, many, ignored from record where id = any(${recordIds}::uuid[])${beside}) r
    join product p on p.id = r.product_id
    cross join lateral jsonb_to_recordset(${variablesFor(sql`r.organization_id`)}) v (name text, type text)
    left join product_slot s on s.product_id = p.id and s.name = v.name and s.type = v.type
    where jsonb_path_exists(r.data -> v.name, 'strict $.** ? (@.type() != "null" && @.type() != "array")')
      and case s.kind when 'number' then r.numbers[s.slot] is null when 'text' then r.texts[s.slot] is null else true end
      and (r.many -> v.name) is null and ('data.' || v.name = any(r.ignored)) is not true
    group by r.id`);
  return new Map(found.map(({ id, paths }) => [id, paths]));
};

/** JSON of records. Of their slots, it says which have a value: JSON has no number for each double. */
const jsonOf = (records: readonly BlockRecord[]): string => {
  const filled = (slots: readonly unknown[] | null) =>
    JSON.stringify(slots && slots.map((slot) => (slot === null ? null : 0)));
  const texts = records.map(
    ({ id, productId, data, many, numbers, texts: own, ignored }) =>
      `{"id":"${id}","product_id":${JSON.stringify(productId)},"data":${data},"many":${many},"numbers":${filled(numbers)},"texts":${filled(own)},"ignored":${JSON.stringify(ignored)}}`,
  );
  return `[${texts.join()}]`;
};
