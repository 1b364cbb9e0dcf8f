/* {"size": 0, "aggs": {"a": {"auto_date_histogram": {"field": "ts", "buckets": 3}}}} */

select extract(epoch from min(r.ts)) * 1000, extract(epoch from max(r.ts)) * 1000
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2100-01-01T00:00:00.000000Z"

select s.k0,count(*) as n
from (select width_bucket(r.ts, $1::timestamptz[]) - 1 as k0
from record r
where r.organization_id = $2::uuid and r.device_id = any($3::uuid[]) and r.ts >= $4::timestamptz and r.ts <= $5::timestamptz) s
group by s.k0
limit $6::int
-- $1 = ["2026-03-28T12:00:00.000Z","2026-03-29T00:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $2 = "uuid"
-- $3 = ["uuid","uuid"]
-- $4 = "2000-01-01T00:00:00.000000Z"
-- $5 = "2100-01-01T00:00:00.000000Z"
-- $6 = 65536
