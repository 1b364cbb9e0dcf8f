/* {"size": 0, "aggs": {"a": {"filters": {"filters": {"warm": {"range": {"data.temperature": {"gte": 21}}}}, "other_bucket": true}}}} */

select s.k0,count(*) as n
from (select m0.v as k0
from record r
cross join lateral (select b.v
from (values ($1::int, coalesce((case when r.product_id = any($2::uuid[]) then r.numbers[$3::int] else (case jsonb_typeof((r.data -> $4::text)) when 'number' then ((r.data -> $5::text))::float8 when 'string' then case when ((r.data -> $6::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $7::text) #>> '{}')::float8 end end) end) >= $8::float8, false)),($9::int, (not coalesce((case when r.product_id = any($10::uuid[]) then r.numbers[$11::int] else (case jsonb_typeof((r.data -> $12::text)) when 'number' then ((r.data -> $13::text))::float8 when 'string' then case when ((r.data -> $14::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $15::text) #>> '{}')::float8 end end) end) >= $16::float8, false)))) as b(v, hit)
where b.hit) m0
where r.organization_id = $17::uuid and r.device_id = any($18::uuid[]) and r.ts >= $19::timestamptz and r.ts <= $20::timestamptz) s
group by s.k0
limit $21::int
-- $1 = 0
-- $2 = ["uuid"]
-- $3 = 1
-- $4 = "temperature"
-- $5 = "temperature"
-- $6 = "temperature"
-- $7 = "temperature"
-- $8 = 21
-- $9 = 1
-- $10 = ["uuid"]
-- $11 = 1
-- $12 = "temperature"
-- $13 = "temperature"
-- $14 = "temperature"
-- $15 = "temperature"
-- $16 = 21
-- $17 = "uuid"
-- $18 = ["uuid","uuid"]
-- $19 = "2000-01-01T00:00:00.000000Z"
-- $20 = "2100-01-01T00:00:00.000000Z"
-- $21 = 65536

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
