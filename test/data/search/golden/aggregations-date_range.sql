/* {"size": 0, "aggs": {"a": {"date_range": {"field": "ts", "ranges": [{"from": "2026-03-29", "to": "2026-03-30"}]}}}} */

select s.k0,count(*) as n
from (select m0.v as k0
from record r
cross join lateral (select b.v
from (values ($1::int, (true and (r.ts >= $2::timestamptz and r.ts < $3::timestamptz)))) as b(v, hit)
where b.hit) m0
where r.organization_id = $4::uuid and r.device_id = any($5::uuid[]) and r.ts >= $6::timestamptz and r.ts <= $7::timestamptz) s
group by s.k0
limit $8::int
-- $1 = 0
-- $2 = "2026-03-29T00:00:00.000Z"
-- $3 = "2026-03-30T00:00:00.000Z"
-- $4 = "uuid"
-- $5 = ["uuid","uuid"]
-- $6 = "2000-01-01T00:00:00.000000Z"
-- $7 = "2100-01-01T00:00:00.000000Z"
-- $8 = 65536

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
