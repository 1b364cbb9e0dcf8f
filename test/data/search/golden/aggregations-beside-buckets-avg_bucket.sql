/* {"size": 0, "aggs": {"a": {"date_histogram": {"field": "ts", "calendar_interval": "day"}, "aggs": {"m": {"avg": {"field": "data.temperature"}}}}, "b": {"avg_bucket": {"buckets_path": "a>m"}}}} */

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

select (extract(epoch from s.k0) * 1000)::int8 as k0,count(*) as n,avg(s.v0) as c0
from (select date_bin(make_interval(secs => $1::float8), r.ts, $2::timestamptz) as k0,(case r.product_id when $3::uuid then r.numbers[$4::int] else (case jsonb_typeof((r.data -> $5::text)) when 'number' then ((r.data -> $6::text))::float8 when 'string' then case when ((r.data -> $7::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $8::text) #>> '{}')::float8 end end) end) as v0
from record r
where r.organization_id = $9::uuid and r.device_id = any($10::uuid[]) and r.ts >= $11::timestamptz and r.ts <= $12::timestamptz) s
group by s.k0
limit $13::int
-- $1 = 86400
-- $2 = "1970-01-01T00:00:00.000Z"
-- $3 = "uuid"
-- $4 = 1
-- $5 = "temperature"
-- $6 = "temperature"
-- $7 = "temperature"
-- $8 = "temperature"
-- $9 = "uuid"
-- $10 = ["uuid","uuid"]
-- $11 = "2000-01-01T00:00:00.000000Z"
-- $12 = "2100-01-01T00:00:00.000000Z"
-- $13 = 65536
