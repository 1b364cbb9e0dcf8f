/* {"size":2,"sort":[{"data.temperature":{"order":"desc","missing":"_last"}},{"_id":"asc"}],"includes":["data.*"]} */

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored,coalesce((case when r.product_id = any($1::uuid[]) then r.numbers[$2::int] else (case jsonb_typeof((r.data -> $3::text)) when 'number' then ((r.data -> $4::text))::float8 when 'string' then case when ((r.data -> $5::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $6::text) #>> '{}')::float8 end end) end), '-Infinity'::float8),r.id::text
from record r
where r.organization_id = $7::uuid and r.device_id = any($8::uuid[]) and r.ts >= $9::timestamptz and r.ts <= $10::timestamptz
order by coalesce((case when r.product_id = any($11::uuid[]) then r.numbers[$12::int] else (case jsonb_typeof((r.data -> $13::text)) when 'number' then ((r.data -> $14::text))::float8 when 'string' then case when ((r.data -> $15::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $16::text) #>> '{}')::float8 end end) end), '-Infinity'::float8) desc,r.id::text collate "C" asc nulls last,r.seq
limit $17::int offset $18::int
-- $1 = ["uuid"]
-- $2 = 1
-- $3 = "temperature"
-- $4 = "temperature"
-- $5 = "temperature"
-- $6 = "temperature"
-- $7 = "uuid"
-- $8 = ["uuid","uuid"]
-- $9 = "2000-01-01T00:00:00.000000Z"
-- $10 = "2100-01-01T00:00:00.000000Z"
-- $11 = ["uuid"]
-- $12 = 1
-- $13 = "temperature"
-- $14 = "temperature"
-- $15 = "temperature"
-- $16 = "temperature"
-- $17 = 2
-- $18 = 0

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
-- $1 = ["uuid","uuid"]
-- $2 = ["uuid"]

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
