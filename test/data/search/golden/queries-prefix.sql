/* {"query": {"prefix": {"data.state": "al"}}} */

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

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz and coalesce(starts_with((case when r.product_id = any($5::uuid[]) then r.texts[$6::int] else (case when jsonb_typeof((r.data -> $7::text)) in ('string', 'number', 'boolean') then ((r.data -> $8::text) #>> '{}') end) end), $9::text), false)
order by r.ts desc, r.seq desc
limit $10::int offset $11::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2026-11-16T12:00:00.000Z"
-- $4 = "2026-11-23T12:00:00.000Z"
-- $5 = ["uuid"]
-- $6 = 1
-- $7 = "state"
-- $8 = "state"
-- $9 = "al"
-- $10 = 10
-- $11 = 0

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz and coalesce(starts_with((case when r.product_id = any($5::uuid[]) then r.texts[$6::int] else (case when jsonb_typeof((r.data -> $7::text)) in ('string', 'number', 'boolean') then ((r.data -> $8::text) #>> '{}') end) end), $9::text), false)
order by r.ts desc, r.seq desc
limit $10::int offset $11::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2026-11-16T11:59:59.999999Z"
-- $5 = ["uuid"]
-- $6 = 1
-- $7 = "state"
-- $8 = "state"
-- $9 = "al"
-- $10 = 10
-- $11 = 0

select (select coalesce(json_agg(x), '[]')
from ( select id, serial, name, tags, lat, lon
from device
where id = any($1::uuid[])) x) as devices, (select coalesce(json_agg(x), '[]')
from ( select id, organization_id as owner, exists ( select
from product_slot s
join jsonb_to_recordset(variables) v (name text, type text) on v.name = s.name and v.type <> s.type
where s.product_id = product.id) as retyped
from product
where id = any($2::uuid[])) x) as products
-- $1 = ["uuid"]
-- $2 = ["uuid"]
