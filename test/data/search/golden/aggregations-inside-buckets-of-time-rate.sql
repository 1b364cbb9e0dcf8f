/* {"size": 0, "aggs": {"a": {"date_histogram": {"field": "ts", "calendar_interval": "day"}, "aggs": {"r": {"rate": {"unit": "hour"}}}}}} */

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
