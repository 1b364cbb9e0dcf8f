/* {"query": {"bool": {"should": [{"term": {"data.state": {"value": "alarm", "_name": "alarm"}}}, {"range": {"data.count": {"gte": 1, "_name": "counted"}}}]}}} */

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz and (coalesce((case when r.product_id = any($5::uuid[]) then r.texts[$6::int] else (case when jsonb_typeof((r.data -> $7::text)) in ('string', 'number', 'boolean') then ((r.data -> $8::text) #>> '{}') end) end) = $9::text, false) or coalesce((case when r.product_id = any($10::uuid[]) then (case when r.numbers[$11::int] is null then null when abs(r.numbers[$12::int]) < 9007199254740992 then r.numbers[$13::int]::int8 else (jsonb_path_query_first(r.data -> $14::text, 'strict $.** ? (@.type() == "number" || (@.type() == "string" && @ like_regex "^[+-]?[0-9]+$"))') #>> '{}')::numeric::int8 end) else (select n
from (select (case jsonb_typeof((r.data -> $15::text)) when 'number' then ((r.data -> $16::text))::float8 when 'string' then case when ((r.data -> $17::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $18::text) #>> '{}')::float8 end end) as n) x
where n = trunc(n) and abs(n) <= 9007199254740991)::int8 end) >= $19::int8, false))
order by r.ts desc, r.seq desc
limit $20::int offset $21::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2026-11-16T12:00:00.000Z"
-- $4 = "2026-11-23T12:00:00.000Z"
-- $5 = ["uuid"]
-- $6 = 1
-- $7 = "state"
-- $8 = "state"
-- $9 = "alarm"
-- $10 = ["uuid"]
-- $11 = 2
-- $12 = 2
-- $13 = 2
-- $14 = "count"
-- $15 = "count"
-- $16 = "count"
-- $17 = "count"
-- $18 = "count"
-- $19 = "1"
-- $20 = 10
-- $21 = 0

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz and (coalesce((case when r.product_id = any($5::uuid[]) then r.texts[$6::int] else (case when jsonb_typeof((r.data -> $7::text)) in ('string', 'number', 'boolean') then ((r.data -> $8::text) #>> '{}') end) end) = $9::text, false) or coalesce((case when r.product_id = any($10::uuid[]) then (case when r.numbers[$11::int] is null then null when abs(r.numbers[$12::int]) < 9007199254740992 then r.numbers[$13::int]::int8 else (jsonb_path_query_first(r.data -> $14::text, 'strict $.** ? (@.type() == "number" || (@.type() == "string" && @ like_regex "^[+-]?[0-9]+$"))') #>> '{}')::numeric::int8 end) else (select n
from (select (case jsonb_typeof((r.data -> $15::text)) when 'number' then ((r.data -> $16::text))::float8 when 'string' then case when ((r.data -> $17::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $18::text) #>> '{}')::float8 end end) as n) x
where n = trunc(n) and abs(n) <= 9007199254740991)::int8 end) >= $19::int8, false))
order by r.ts desc, r.seq desc
limit $20::int offset $21::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2026-11-16T11:59:59.999999Z"
-- $5 = ["uuid"]
-- $6 = 1
-- $7 = "state"
-- $8 = "state"
-- $9 = "alarm"
-- $10 = ["uuid"]
-- $11 = 2
-- $12 = 2
-- $13 = 2
-- $14 = "count"
-- $15 = "count"
-- $16 = "count"
-- $17 = "count"
-- $18 = "count"
-- $19 = "1"
-- $20 = 10
-- $21 = 0

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

select r.id, array_remove(array[case when coalesce((case when r.product_id = any($1::uuid[]) then r.texts[$2::int] else (case when jsonb_typeof((r.data -> $3::text)) in ('string', 'number', 'boolean') then ((r.data -> $4::text) #>> '{}') end) end) = $5::text, false) then $6::int end,case when coalesce((case when r.product_id = any($7::uuid[]) then (case when r.numbers[$8::int] is null then null when abs(r.numbers[$9::int]) < 9007199254740992 then r.numbers[$10::int]::int8 else (jsonb_path_query_first(r.data -> $11::text, 'strict $.** ? (@.type() == "number" || (@.type() == "string" && @ like_regex "^[+-]?[0-9]+$"))') #>> '{}')::numeric::int8 end) else (select n
from (select (case jsonb_typeof((r.data -> $12::text)) when 'number' then ((r.data -> $13::text))::float8 when 'string' then case when ((r.data -> $14::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $15::text) #>> '{}')::float8 end end) as n) x
where n = trunc(n) and abs(n) <= 9007199254740991)::int8 end) >= $16::int8, false) then $17::int end], null) as which
from record r
where r.organization_id = $18::uuid and r.device_id = any($19::uuid[]) and r.ts >= $20::timestamptz and r.ts <= $21::timestamptz and r.id = any($22::uuid[]) and r.id between $23::uuid and $24::uuid
-- $1 = ["uuid"]
-- $2 = 1
-- $3 = "state"
-- $4 = "state"
-- $5 = "alarm"
-- $6 = 0
-- $7 = ["uuid"]
-- $8 = 2
-- $9 = 2
-- $10 = 2
-- $11 = "count"
-- $12 = "count"
-- $13 = "count"
-- $14 = "count"
-- $15 = "count"
-- $16 = "1"
-- $17 = 1
-- $18 = "uuid"
-- $19 = ["uuid","uuid"]
-- $20 = "2026-03-28T11:59:59.000Z"
-- $21 = "2026-03-29T12:00:01.000Z"
-- $22 = ["uuid","uuid","uuid"]
-- $23 = "uuid"
-- $24 = "uuid"
