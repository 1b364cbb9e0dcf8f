/* {"size": 0, "aggs": {"a": {"avg": {"field": "data.temperature"}}}} */

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

select count(*) as n,avg(s.v0) as c0
from (select (case r.product_id when $1::uuid then r.numbers[$2::int] else (case jsonb_typeof((r.data -> $3::text)) when 'number' then ((r.data -> $4::text))::float8 when 'string' then case when ((r.data -> $5::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $6::text) #>> '{}')::float8 end end) end) as v0
from record r
where r.organization_id = $7::uuid and r.device_id = any($8::uuid[]) and r.ts >= $9::timestamptz and r.ts <= $10::timestamptz) s
-- $1 = "uuid"
-- $2 = 1
-- $3 = "temperature"
-- $4 = "temperature"
-- $5 = "temperature"
-- $6 = "temperature"
-- $7 = "uuid"
-- $8 = ["uuid","uuid"]
-- $9 = "2000-01-01T00:00:00.000000Z"
-- $10 = "2100-01-01T00:00:00.000000Z"
