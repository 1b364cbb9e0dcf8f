/* {"size": 0, "aggs": {"a": {"range": {"field": "data.temperature", "ranges": [{"to": 21}, {"from": 21}]}}}} */

select s.k0,count(*) as n
from (select m0.v as k0
from record r
cross join lateral (select b.v
from (values ($1::int, (((case when r.product_id = any($2::uuid[]) then r.numbers[$3::int] else (case jsonb_typeof((r.data -> $4::text)) when 'number' then ((r.data -> $5::text))::float8 when 'string' then case when ((r.data -> $6::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $7::text) #>> '{}')::float8 end end) end) is not null) and coalesce((case when r.product_id = any($8::uuid[]) then r.numbers[$9::int] else (case jsonb_typeof((r.data -> $10::text)) when 'number' then ((r.data -> $11::text))::float8 when 'string' then case when ((r.data -> $12::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $13::text) #>> '{}')::float8 end end) end) < $14::float8, false))),($15::int, (((case when r.product_id = any($16::uuid[]) then r.numbers[$17::int] else (case jsonb_typeof((r.data -> $18::text)) when 'number' then ((r.data -> $19::text))::float8 when 'string' then case when ((r.data -> $20::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $21::text) #>> '{}')::float8 end end) end) is not null) and coalesce((case when r.product_id = any($22::uuid[]) then r.numbers[$23::int] else (case jsonb_typeof((r.data -> $24::text)) when 'number' then ((r.data -> $25::text))::float8 when 'string' then case when ((r.data -> $26::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $27::text) #>> '{}')::float8 end end) end) >= $28::float8, false)))) as b(v, hit)
where b.hit) m0
where r.organization_id = $29::uuid and r.device_id = any($30::uuid[]) and r.ts >= $31::timestamptz and r.ts <= $32::timestamptz) s
group by s.k0
limit $33::int
-- $1 = 0
-- $2 = ["uuid"]
-- $3 = 1
-- $4 = "temperature"
-- $5 = "temperature"
-- $6 = "temperature"
-- $7 = "temperature"
-- $8 = ["uuid"]
-- $9 = 1
-- $10 = "temperature"
-- $11 = "temperature"
-- $12 = "temperature"
-- $13 = "temperature"
-- $14 = 21
-- $15 = 1
-- $16 = ["uuid"]
-- $17 = 1
-- $18 = "temperature"
-- $19 = "temperature"
-- $20 = "temperature"
-- $21 = "temperature"
-- $22 = ["uuid"]
-- $23 = 1
-- $24 = "temperature"
-- $25 = "temperature"
-- $26 = "temperature"
-- $27 = "temperature"
-- $28 = 21
-- $29 = "uuid"
-- $30 = ["uuid","uuid"]
-- $31 = "2000-01-01T00:00:00.000000Z"
-- $32 = "2100-01-01T00:00:00.000000Z"
-- $33 = 65536

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
