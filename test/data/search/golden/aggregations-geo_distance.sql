/* {"size": 0, "aggs": {"a": {"geo_distance": {"field": "device.location", "origin": "48.85,2.35", "unit": "km", "ranges": [{"to": 10}, {"from": 10}]}}}} */

select s.k0,count(*) as n
from (select m0.v as k0
from record r
join device d on d.id = r.device_id
cross join lateral (select b.v
from (values ($1::int, ((((case when d.lat is not null then 2 * $2::float8 * asin(least(1, sqrt(power(sin(radians(d.lat - $3::float8) / 2), 2) + cos(radians($4::float8)) * cos(radians(d.lat)) * power(sin(radians(d.lon - $5::float8) / 2), 2)))) end) / $6::float8) is not null) and coalesce((((case when d.lat is not null then 2 * $7::float8 * asin(least(1, sqrt(power(sin(radians(d.lat - $8::float8) / 2), 2) + cos(radians($9::float8)) * cos(radians(d.lat)) * power(sin(radians(d.lon - $10::float8) / 2), 2)))) end) / $11::float8) >= $12::float8 and ((case when d.lat is not null then 2 * $13::float8 * asin(least(1, sqrt(power(sin(radians(d.lat - $14::float8) / 2), 2) + cos(radians($15::float8)) * cos(radians(d.lat)) * power(sin(radians(d.lon - $16::float8) / 2), 2)))) end) / $17::float8) < $18::float8), false))),($19::int, ((((case when d.lat is not null then 2 * $20::float8 * asin(least(1, sqrt(power(sin(radians(d.lat - $21::float8) / 2), 2) + cos(radians($22::float8)) * cos(radians(d.lat)) * power(sin(radians(d.lon - $23::float8) / 2), 2)))) end) / $24::float8) is not null) and coalesce(((case when d.lat is not null then 2 * $25::float8 * asin(least(1, sqrt(power(sin(radians(d.lat - $26::float8) / 2), 2) + cos(radians($27::float8)) * cos(radians(d.lat)) * power(sin(radians(d.lon - $28::float8) / 2), 2)))) end) / $29::float8) >= $30::float8, false)))) as b(v, hit)
where b.hit) m0
where r.organization_id = $31::uuid and r.device_id = any($32::uuid[]) and r.ts >= $33::timestamptz and r.ts <= $34::timestamptz) s
group by s.k0
limit $35::int
-- $1 = 0
-- $2 = 6371008.7714
-- $3 = 48.85
-- $4 = 48.85
-- $5 = 2.35
-- $6 = 1000
-- $7 = 6371008.7714
-- $8 = 48.85
-- $9 = 48.85
-- $10 = 2.35
-- $11 = 1000
-- $12 = 0
-- $13 = 6371008.7714
-- $14 = 48.85
-- $15 = 48.85
-- $16 = 2.35
-- $17 = 1000
-- $18 = 10
-- $19 = 1
-- $20 = 6371008.7714
-- $21 = 48.85
-- $22 = 48.85
-- $23 = 2.35
-- $24 = 1000
-- $25 = 6371008.7714
-- $26 = 48.85
-- $27 = 48.85
-- $28 = 2.35
-- $29 = 1000
-- $30 = 10
-- $31 = "uuid"
-- $32 = ["uuid","uuid"]
-- $33 = "2000-01-01T00:00:00.000000Z"
-- $34 = "2100-01-01T00:00:00.000000Z"
-- $35 = 65536

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
