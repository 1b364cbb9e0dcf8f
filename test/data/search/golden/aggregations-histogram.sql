/* {"size": 0, "aggs": {"a": {"histogram": {"field": "data.temperature", "interval": 1}}}} */

select s.k0,count(*) as n
from (select floor(((case when r.product_id = any($1::uuid[]) then r.numbers[$2::int] else (case jsonb_typeof((r.data -> $3::text)) when 'number' then ((r.data -> $4::text))::float8 when 'string' then case when ((r.data -> $5::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $6::text) #>> '{}')::float8 end end) end) - $7::float8) / $8::float8) as k0
from record r
where r.organization_id = $9::uuid and r.device_id = any($10::uuid[]) and r.ts >= $11::timestamptz and r.ts <= $12::timestamptz and (case when r.product_id = any($13::uuid[]) then r.numbers[$14::int] else (case jsonb_typeof((r.data -> $15::text)) when 'number' then ((r.data -> $16::text))::float8 when 'string' then case when ((r.data -> $17::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $18::text) #>> '{}')::float8 end end) end) is not null) s
group by s.k0
limit $19::int
-- $1 = ["uuid"]
-- $2 = 1
-- $3 = "temperature"
-- $4 = "temperature"
-- $5 = "temperature"
-- $6 = "temperature"
-- $7 = 0
-- $8 = 1
-- $9 = "uuid"
-- $10 = ["uuid","uuid"]
-- $11 = "2000-01-01T00:00:00.000000Z"
-- $12 = "2100-01-01T00:00:00.000000Z"
-- $13 = ["uuid"]
-- $14 = 1
-- $15 = "temperature"
-- $16 = "temperature"
-- $17 = "temperature"
-- $18 = "temperature"
-- $19 = 65536

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
