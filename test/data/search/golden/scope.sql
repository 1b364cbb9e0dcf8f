select (select coalesce(string_agg(device_id::text, ','), '')
from application_device
where application_id = $1::uuid) as devices, (with used as materialized ( select d.product_id
from application_device a
join device d on d.id = a.device_id
where a.application_id = $2::uuid union select s.product_id
from application_device a
join record_source s on s.device_id = a.device_id
where a.application_id = $3::uuid) select json_build_object( 'declared', (select coalesce(json_agg(x), '[]')
from ( select p.id as "productId", v.value ->> 'name' as name, v.value ->> 'type' as type, s.slot
from product p
cross join lateral jsonb_array_elements((case when p.organization_id = $4::uuid then p.variables else coalesce(p.withdrawn -> 'variables', p.variables) end)) v
left join product_slot s on s.product_id = p.id and s.name = v.value ->> 'name' and s.type = v.value ->> 'type'
where p.id in (select product_id
from used)
order by p.id) x), 'seen', (select coalesce(json_agg(x), '[]')
from ( select path, keys, kind, multi
from record_field
where organization_id = $5::uuid and (not by_product or path in ( select path
from record_field_product
where organization_id = $6::uuid and product_id in (select coalesce(product_id, $7::uuid)
from used)))
order by path
limit 10000) x))) as known
-- $1 = "uuid"
-- $2 = "uuid"
-- $3 = "uuid"
-- $4 = "uuid"
-- $5 = "uuid"
-- $6 = "uuid"
-- $7 = "00000000-0000-0000-0000-000000000000"
