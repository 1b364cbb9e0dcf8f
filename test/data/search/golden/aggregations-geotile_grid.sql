/* {"size": 0, "aggs": {"a": {"geotile_grid": {"field": "device.location", "precision": 8}}}} */

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
