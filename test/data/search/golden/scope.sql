select (select coalesce(string_agg(device_id::text, ','), '')
from application_device
where application_id = $1::uuid) as devices, (select coalesce(json_agg(x), '[]')
from ( select p.id as "productId", v.value ->> 'name' as name, v.value ->> 'type' as type, s.slot
from product p
cross join lateral jsonb_array_elements((case when p.organization_id = $2::uuid then p.variables else coalesce(p.withdrawn -> 'variables', p.variables) end)) v
left join product_slot s on s.product_id = p.id and s.name = v.value ->> 'name' and s.type = v.value ->> 'type'
where (p.organization_id = $3::uuid or p.id in (select product_id
from device
where organization_id = $4::uuid))
order by p.id) x) as declared, (select coalesce(json_agg(x), '[]')
from ( select path, keys, kind, multi
from record_field
where organization_id = $5::uuid
order by path
limit 10000) x) as seen, (select coalesce(json_agg(product_id), '[]')
from ( select d.product_id
from application_device a
join device d on d.id = a.device_id
where a.application_id = $6::uuid union select s.product_id
from application_device a
join record_source s on s.device_id = a.device_id
where a.application_id = $7::uuid) x
where product_id is not null) as used
-- $1 = "uuid"
-- $2 = "uuid"
-- $3 = "uuid"
-- $4 = "uuid"
-- $5 = "uuid"
-- $6 = "uuid"
-- $7 = "uuid"
