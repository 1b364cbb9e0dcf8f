/* {"size": 0, "aggs": {"a": {"date_histogram": {"field": "ts", "calendar_interval": "day"}, "aggs": {"r": {"rate": {"unit": "hour"}}}}}} */

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

select (extract(epoch from s.k0) * 1000)::int8 as k0,count(*) as n
from (select date_bin(make_interval(secs => $1::float8), r.ts, $2::timestamptz) as k0
from record r
where r.organization_id = $3::uuid and r.device_id = any($4::uuid[]) and r.ts >= $5::timestamptz and r.ts <= $6::timestamptz) s
group by s.k0
limit $7::int
-- $1 = 86400
-- $2 = "1970-01-01T00:00:00.000Z"
-- $3 = "uuid"
-- $4 = ["uuid","uuid"]
-- $5 = "2000-01-01T00:00:00.000000Z"
-- $6 = "2100-01-01T00:00:00.000000Z"
-- $7 = 65536
