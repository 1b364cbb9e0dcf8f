/* {"size": 0, "aggs": {"a": {"geohash_grid": {"field": "device.location", "precision": 3}}}} */

select t.k0,t.k1,t.n, t.total
from (select g.*, row_number() over (
order by g.n desc,(select sum((((g.k0::int8 >> b) & 1) << (2 * b + $1::int)) + (((g.k1::int8 >> b) & 1) << (2 * b + $2::int)))
from generate_series(0, $3::int) b) desc,g.k0,g.k1) as place, sum(g.n) over () as total
from (select s.k0,s.k1,count(*) as n
from (select least(floor((d.lon + 180) / 360 * $4::float8), $5::float8) as k0,least(floor((d.lat + 90) / 180 * $6::float8), $7::float8) as k1
from record r
join device d on d.id = r.device_id
where r.organization_id = $8::uuid and r.device_id = any($9::uuid[]) and r.ts >= $10::timestamptz and r.ts <= $11::timestamptz and d.lat is not null and d.lat is not null) s
group by s.k0,s.k1) g
where g.n >= $12::int8) t
where t.place <= $13::int8
order by t.place
limit $14::int
-- $1 = 0
-- $2 = 1
-- $3 = 7
-- $4 = 256
-- $5 = 255
-- $6 = 128
-- $7 = 127
-- $8 = "uuid"
-- $9 = ["uuid","uuid"]
-- $10 = "2000-01-01T00:00:00.000000Z"
-- $11 = "2100-01-01T00:00:00.000000Z"
-- $12 = 1
-- $13 = 10000
-- $14 = 65536

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
