/* {"size": 0, "aggs": {"a": {"geotile_grid": {"field": "device.location", "precision": 8}}}} */

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
order by g.n desc,g.k0 desc,g.k1 desc,g.k0,g.k1) as place, sum(g.n) over () as total
from (select s.k0,s.k1,count(*) as n
from (select least(floor((d.lon + 180) / 360 * $1::float8), $2::float8) as k0,greatest(least(floor((1 - ln(tan(radians(greatest(least(d.lat, $3::float8), $4::float8))) + 1 / cos(radians(greatest(least(d.lat, $5::float8), $6::float8)))) / pi()) / 2 * $7::float8), $8::float8), 0) as k1
from record r
join device d on d.id = r.device_id
where r.organization_id = $9::uuid and r.device_id = any($10::uuid[]) and r.ts >= $11::timestamptz and r.ts <= $12::timestamptz and d.lat is not null and d.lat is not null) s
group by s.k0,s.k1) g
where g.n >= $13::int8) t
where t.place <= $14::int8
order by t.place
limit $15::int
-- $1 = 256
-- $2 = 255
-- $3 = 85.0511287798066
-- $4 = -85.0511287798066
-- $5 = 85.0511287798066
-- $6 = -85.0511287798066
-- $7 = 256
-- $8 = 255
-- $9 = "uuid"
-- $10 = ["uuid","uuid"]
-- $11 = "2000-01-01T00:00:00.000000Z"
-- $12 = "2100-01-01T00:00:00.000000Z"
-- $13 = 1
-- $14 = 10000
-- $15 = 65536

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
