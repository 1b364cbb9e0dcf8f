/* {"query": {"query_string": {"query": "data.state:ok AND data.temperature:[20 TO 21}"}}} */

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz and coalesce((case when r.product_id = any($5::uuid[]) then r.texts[$6::int] else (case when jsonb_typeof((r.data -> $7::text)) in ('string', 'number', 'boolean') then ((r.data -> $8::text) #>> '{}') end) end) = $9::text, false) and coalesce(((case when r.product_id = any($10::uuid[]) then r.numbers[$11::int] else (case jsonb_typeof((r.data -> $12::text)) when 'number' then ((r.data -> $13::text))::float8 when 'string' then case when ((r.data -> $14::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $15::text) #>> '{}')::float8 end end) end) >= $16::float8 and (case when r.product_id = any($17::uuid[]) then r.numbers[$18::int] else (case jsonb_typeof((r.data -> $19::text)) when 'number' then ((r.data -> $20::text))::float8 when 'string' then case when ((r.data -> $21::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $22::text) #>> '{}')::float8 end end) end) < $23::float8), false)
order by r.ts desc, r.seq desc
limit $24::int offset $25::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2026-11-16T12:00:00.000Z"
-- $4 = "2026-11-23T12:00:00.000Z"
-- $5 = ["uuid"]
-- $6 = 1
-- $7 = "state"
-- $8 = "state"
-- $9 = "ok"
-- $10 = ["uuid"]
-- $11 = 1
-- $12 = "temperature"
-- $13 = "temperature"
-- $14 = "temperature"
-- $15 = "temperature"
-- $16 = 20
-- $17 = ["uuid"]
-- $18 = 1
-- $19 = "temperature"
-- $20 = "temperature"
-- $21 = "temperature"
-- $22 = "temperature"
-- $23 = 21
-- $24 = 10
-- $25 = 0

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz and coalesce((case when r.product_id = any($5::uuid[]) then r.texts[$6::int] else (case when jsonb_typeof((r.data -> $7::text)) in ('string', 'number', 'boolean') then ((r.data -> $8::text) #>> '{}') end) end) = $9::text, false) and coalesce(((case when r.product_id = any($10::uuid[]) then r.numbers[$11::int] else (case jsonb_typeof((r.data -> $12::text)) when 'number' then ((r.data -> $13::text))::float8 when 'string' then case when ((r.data -> $14::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $15::text) #>> '{}')::float8 end end) end) >= $16::float8 and (case when r.product_id = any($17::uuid[]) then r.numbers[$18::int] else (case jsonb_typeof((r.data -> $19::text)) when 'number' then ((r.data -> $20::text))::float8 when 'string' then case when ((r.data -> $21::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $22::text) #>> '{}')::float8 end end) end) < $23::float8), false)
order by r.ts desc, r.seq desc
limit $24::int offset $25::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2026-11-16T11:59:59.999999Z"
-- $5 = ["uuid"]
-- $6 = 1
-- $7 = "state"
-- $8 = "state"
-- $9 = "ok"
-- $10 = ["uuid"]
-- $11 = 1
-- $12 = "temperature"
-- $13 = "temperature"
-- $14 = "temperature"
-- $15 = "temperature"
-- $16 = 20
-- $17 = ["uuid"]
-- $18 = 1
-- $19 = "temperature"
-- $20 = "temperature"
-- $21 = "temperature"
-- $22 = "temperature"
-- $23 = 21
-- $24 = 10
-- $25 = 0

select (select coalesce(json_agg(x), '[]')
from ( select id, serial, name, tags, lat, lon
from device
where id = any($1::uuid[])) x) as devices, (select coalesce(json_agg(x), '[]')
from ( select id, organization_id as owner, exists ( select
from product_slot s
join jsonb_to_recordset(variables) v (name text, type text) on v.name = s.name and v.type <> s.type
where s.product_id = product.id) as retyped
from product
where id = any($2::uuid[])) x) as products
-- $1 = ["uuid"]
-- $2 = ["uuid"]
