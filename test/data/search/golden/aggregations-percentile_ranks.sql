/* {"size": 0, "aggs": {"a": {"percentile_ranks": {"field": "data.temperature", "values": [21]}}}} */

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

select count(*) as n,count(s.v0) as c0,sum((s.v0 <= $1::float8)::int) as c1,max(case when s.v0 <= $2::float8 then s.v0 end) as c2,min(case when s.v0 > $3::float8 then s.v0 end) as c3
from (select (case when r.product_id = any($4::uuid[]) then r.numbers[$5::int] else (case jsonb_typeof((r.data -> $6::text)) when 'number' then ((r.data -> $7::text))::float8 when 'string' then case when ((r.data -> $8::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $9::text) #>> '{}')::float8 end end) end) as v0
from record r
where r.organization_id = $10::uuid and r.device_id = any($11::uuid[]) and r.ts >= $12::timestamptz and r.ts <= $13::timestamptz) s
-- $1 = 21
-- $2 = 21
-- $3 = 21
-- $4 = ["uuid"]
-- $5 = 1
-- $6 = "temperature"
-- $7 = "temperature"
-- $8 = "temperature"
-- $9 = "temperature"
-- $10 = "uuid"
-- $11 = ["uuid","uuid"]
-- $12 = "2000-01-01T00:00:00.000000Z"
-- $13 = "2100-01-01T00:00:00.000000Z"
