/* {"query": {"dis_max": {"queries": [{"term": {"data.count": 1}}, {"term": {"data.count": 2}}]}}} */

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz and coalesce((case when r.product_id = any($5::uuid[]) then (case when r.numbers[$6::int] is null then null when abs(r.numbers[$7::int]) < 9007199254740992 then r.numbers[$8::int]::int8 else (jsonb_path_query_first(r.data -> $9::text, 'strict $.** ? (@.type() == "number" || (@.type() == "string" && @ like_regex "^[+-]?[0-9]+$"))') #>> '{}')::numeric::int8 end) else (select n
from (select (case jsonb_typeof((r.data -> $10::text)) when 'number' then ((r.data -> $11::text))::float8 when 'string' then case when ((r.data -> $12::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $13::text) #>> '{}')::float8 end end) as n) x
where n = trunc(n) and abs(n) <= 9007199254740991)::int8 end) = any($14::int8[]), false)
order by r.ts desc, r.seq desc
limit $15::int offset $16::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2026-11-16T12:00:00.000Z"
-- $4 = "2026-11-23T12:00:00.000Z"
-- $5 = ["uuid"]
-- $6 = 2
-- $7 = 2
-- $8 = 2
-- $9 = "count"
-- $10 = "count"
-- $11 = "count"
-- $12 = "count"
-- $13 = "count"
-- $14 = ["1","2"]
-- $15 = 10
-- $16 = 0

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz and coalesce((case when r.product_id = any($5::uuid[]) then (case when r.numbers[$6::int] is null then null when abs(r.numbers[$7::int]) < 9007199254740992 then r.numbers[$8::int]::int8 else (jsonb_path_query_first(r.data -> $9::text, 'strict $.** ? (@.type() == "number" || (@.type() == "string" && @ like_regex "^[+-]?[0-9]+$"))') #>> '{}')::numeric::int8 end) else (select n
from (select (case jsonb_typeof((r.data -> $10::text)) when 'number' then ((r.data -> $11::text))::float8 when 'string' then case when ((r.data -> $12::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $13::text) #>> '{}')::float8 end end) as n) x
where n = trunc(n) and abs(n) <= 9007199254740991)::int8 end) = any($14::int8[]), false)
order by r.ts desc, r.seq desc
limit $15::int offset $16::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2026-11-16T11:59:59.999999Z"
-- $5 = ["uuid"]
-- $6 = 2
-- $7 = 2
-- $8 = 2
-- $9 = "count"
-- $10 = "count"
-- $11 = "count"
-- $12 = "count"
-- $13 = "count"
-- $14 = ["1","2"]
-- $15 = 10
-- $16 = 0

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
