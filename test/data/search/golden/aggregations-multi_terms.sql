/* {"size": 0, "aggs": {"a": {"multi_terms": {"terms": [{"field": "data.state"}, {"field": "data.on"}]}}}} */

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

select t.k0,t.k1,t.n, t.total
from (select g.*, row_number() over (
order by g.n desc,g.k0 collate "C" asc,g.k1 asc,g.k0,g.k1) as place, sum(g.n) over () as total
from (select s.k0,s.k1,count(*) as n
from (select (case when r.product_id = any($1::uuid[]) then r.texts[$2::int] else (case when jsonb_typeof((r.data -> $3::text)) in ('string', 'number', 'boolean') then ((r.data -> $4::text) #>> '{}') end) end) as k0,(case when r.product_id = any($5::uuid[]) then r.numbers[$6::int] else (case ((r.data -> $7::text) #>> '{}') when 'true' then 1::float8 when 'false' then 0::float8 end) end) as k1
from record r
where r.organization_id = $8::uuid and r.device_id = any($9::uuid[]) and r.ts >= $10::timestamptz and r.ts <= $11::timestamptz and (case when r.product_id = any($12::uuid[]) then r.texts[$13::int] else (case when jsonb_typeof((r.data -> $14::text)) in ('string', 'number', 'boolean') then ((r.data -> $15::text) #>> '{}') end) end) is not null and (case when r.product_id = any($16::uuid[]) then r.numbers[$17::int] else (case ((r.data -> $18::text) #>> '{}') when 'true' then 1::float8 when 'false' then 0::float8 end) end) is not null) s
group by s.k0,s.k1) g
where g.n >= $19::int8) t
where t.place <= $20::int8
order by t.place
limit $21::int
-- $1 = ["uuid"]
-- $2 = 1
-- $3 = "state"
-- $4 = "state"
-- $5 = ["uuid"]
-- $6 = 3
-- $7 = "on"
-- $8 = "uuid"
-- $9 = ["uuid","uuid"]
-- $10 = "2000-01-01T00:00:00.000000Z"
-- $11 = "2100-01-01T00:00:00.000000Z"
-- $12 = ["uuid"]
-- $13 = 1
-- $14 = "state"
-- $15 = "state"
-- $16 = ["uuid"]
-- $17 = 3
-- $18 = "on"
-- $19 = 1
-- $20 = 10
-- $21 = 65536

select count(*)
from (select
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz
limit $5::int) x
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2100-01-01T00:00:00.000000Z"
-- $5 = 10001
