import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Number of steps over the devices that have records. */
const parts = 64;
/** Number of a device's newest records, and of its oldest ones, whose fields are noted. */
const some = 20;

/** Which products send the fields of an organization: members see the names that their application's devices send. */
export class FieldProduct extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.run(`
      create table if not exists record_field_product (
        organization_id uuid not null references account on delete cascade,
        path text not null,
        -- The nil UUID stands for devices without a product.
        product_id uuid not null,
        primary key (organization_id, path, product_id)
      )`);
    // A field that is in none of these records is shown to the whole organization until a device sends it again.
    for (let part = 0; part < parts; part++) await steps.run(noteFields(part));
  }
}

const noteFields = (part: number): string => `
  insert into record_field_product (organization_id, path, product_id)
  with recursive sample as materialized (
    select r.organization_id, coalesce(r.product_id, '00000000-0000-0000-0000-000000000000') as product_id, r.metadata, r.data
    from device d cross join lateral (
      (select * from record where device_id = d.id order by ts desc, seq desc limit ${some})
      union all
      (select * from record where device_id = d.id order by ts, seq limit ${some})) r
    where get_byte(uuid_send(d.id), 15) % ${parts} = ${part}
  ), node (organization_id, product_id, path, value) as (
    select organization_id, product_id, 'data', data from sample
    union all
    select organization_id, product_id, 'metadata', metadata from sample
    union all
    select n.organization_id, n.product_id, n.path || coalesce('.' || inner_node.key, ''), inner_node.value
    from node n cross join lateral (
      select key, value from jsonb_each(case jsonb_typeof(n.value) when 'object' then n.value else '{}' end)
      union all
      select null, value from jsonb_array_elements(case jsonb_typeof(n.value) when 'array' then n.value else '[]' end)
    ) inner_node (key, value)
  )
  select distinct f.organization_id, f.path, n.product_id
  from node n join record_field f on f.organization_id = n.organization_id and f.path = n.path
  where jsonb_typeof(n.value) in ('string', 'number', 'boolean')
  on conflict do nothing`;
