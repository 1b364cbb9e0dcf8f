select (select coalesce(string_agg(device_id::text, ','), '')
from application_device
where application_id = $1::uuid) as devices, exists ( select
from record_block_source s
join record_blocked b using (source)
where s.organization_id = $2::uuid and b.alone and b.day >= $3::timestamptz::date and b.day <= $4::timestamptz::date) as alone, (with used as materialized ( select d.product_id
from application_device a
join device d on d.id = a.device_id
where a.application_id = $5::uuid union select s.product_id
from application_device a
join record_source s on s.device_id = a.device_id
where a.application_id = $6::uuid) select json_build_object( 'declared', (select coalesce(json_agg(x), '[]')
from ( select p.id as "productId", v.value ->> 'name' as name, v.value ->> 'type' as type, s.slot
from product p
cross join lateral jsonb_array_elements((case when p.withdrawn is null or p.organization_id = $7::uuid then p.variables else p.withdrawn -> 'variables' end || coalesce((case when p.withdrawn is null or p.organization_id = $8::uuid then p.settings else coalesce(p.withdrawn -> 'settings', '{}') end) -> 'derived', '[]'))) v
left join product_slot s on s.product_id = p.id and s.name = v.value ->> 'name' and s.type = v.value ->> 'type'
where p.id in (select product_id
from used)
order by p.id) x), 'seen', (select coalesce(json_agg(x), '[]')
from ( select path, keys, kind, multi
from record_field
where organization_id = $9::uuid and (not by_product or path in ( select path
from record_field_product
where organization_id = $10::uuid and product_id in (select coalesce(product_id, $11::uuid)
from used)))
order by path
limit 10000) x), 'attributes', ( with recursive found as ( (select name, jsonb_typeof(value) as kind
from attribute
where organization_id = $12::uuid and device_id is not null and value is not null
order by name, jsonb_typeof(value)
limit 1)
union all select n.name, n.kind
from found
cross join lateral ( select name, jsonb_typeof(value) as kind
from attribute
where organization_id = $13::uuid and device_id is not null and value is not null and (name, jsonb_typeof(value)) > (found.name, found.kind)
order by name, jsonb_typeof(value)
limit 1) n) select coalesce(json_agg(x), '[]')
from (select name, kind
from found
limit 1000) x))) as known
-- $1 = "uuid"
-- $2 = "uuid"
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2100-01-01T00:00:00.000000Z"
-- $5 = "uuid"
-- $6 = "uuid"
-- $7 = "uuid"
-- $8 = "uuid"
-- $9 = "uuid"
-- $10 = "uuid"
-- $11 = "00000000-0000-0000-0000-000000000000"
-- $12 = "uuid"
-- $13 = "uuid"
