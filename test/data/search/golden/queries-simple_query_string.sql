/* {"query": {"simple_query_string": {"query": "ok | alarm", "fields": ["data.state"]}}} */

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz and coalesce((case when r.product_id = any($5::uuid[]) then r.texts[$6::int] else (case when jsonb_typeof((r.data -> $7::text)) in ('string', 'number', 'boolean') then ((r.data -> $8::text) #>> '{}') end) end) = any($9::text[]), false)
order by r.ts desc, r.seq desc
limit $10::int offset $11::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2026-11-16T12:00:00.000Z"
-- $4 = "2026-11-23T12:00:00.000Z"
-- $5 = ["uuid"]
-- $6 = 1
-- $7 = "state"
-- $8 = "state"
-- $9 = ["ok","alarm"]
-- $10 = 10
-- $11 = 0

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz and coalesce((case when r.product_id = any($5::uuid[]) then r.texts[$6::int] else (case when jsonb_typeof((r.data -> $7::text)) in ('string', 'number', 'boolean') then ((r.data -> $8::text) #>> '{}') end) end) = any($9::text[]), false)
order by r.ts desc, r.seq desc
limit $10::int offset $11::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2026-11-16T11:59:59.999999Z"
-- $5 = ["uuid"]
-- $6 = 1
-- $7 = "state"
-- $8 = "state"
-- $9 = ["ok","alarm"]
-- $10 = 10
-- $11 = 0

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
