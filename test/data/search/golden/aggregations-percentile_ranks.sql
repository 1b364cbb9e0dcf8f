/* {"size": 0, "aggs": {"a": {"percentile_ranks": {"field": "data.temperature", "values": [21]}}}} */

select count(*) as n,count(s.v0) as c0,sum((s.v0 <= $1::float8)::int) as c1,max(case when s.v0 <= $2::float8 then s.v0 end) as c2,min(case when s.v0 > $3::float8 then s.v0 end) as c3
from (select (case when r.product_id = any($4::uuid[]) then r.numbers[$5::int] else (case jsonb_typeof((r.data -> $6::text)) when 'number' then ((r.data -> $7::text))::float8 when 'string' then case when ((r.data -> $8::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $9::text) #>> '{}')::float8 end end) end) as v0
from record r
where r.organization_id = $10::uuid and r.device_id = any($11::uuid[]) and r.ts >= $12::timestamptz and r.ts <= $13::timestamptz) s
-- $1 = 21
-- $2 = 21
-- $3 = 21
-- $4 = ["uuid"]
-- $5 = 1
-- $6 = "temperature"
-- $7 = "temperature"
-- $8 = "temperature"
-- $9 = "temperature"
-- $10 = "uuid"
-- $11 = ["uuid","uuid"]
-- $12 = "2000-01-01T00:00:00.000000Z"
-- $13 = "2100-01-01T00:00:00.000000Z"
