/* {"size": 0, "aggs": {"a": {"percentiles": {"field": "data.temperature", "percents": [50, 95]}}}} */

select count(*) as n,percentile_cont($1::float8[]) within group (order by s.v0) as c0
from (select (case when r.product_id = any($2::uuid[]) then r.numbers[$3::int] else (case jsonb_typeof((r.data -> $4::text)) when 'number' then ((r.data -> $5::text))::float8 when 'string' then case when ((r.data -> $6::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $7::text) #>> '{}')::float8 end end) end) as v0
from record r
where r.organization_id = $8::uuid and r.device_id = any($9::uuid[]) and r.ts >= $10::timestamptz and r.ts <= $11::timestamptz) s
-- $1 = [0.5,0.95]
-- $2 = ["uuid"]
-- $3 = 1
-- $4 = "temperature"
-- $5 = "temperature"
-- $6 = "temperature"
-- $7 = "temperature"
-- $8 = "uuid"
-- $9 = ["uuid","uuid"]
-- $10 = "2000-01-01T00:00:00.000000Z"
-- $11 = "2100-01-01T00:00:00.000000Z"
