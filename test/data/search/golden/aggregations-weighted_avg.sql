/* {"size": 0, "aggs": {"a": {"weighted_avg": {"value": {"field": "data.temperature"}, "weight": {"field": "data.count"}}}}} */

select count(*) as n,(sum(s.v0) / nullif(sum(s.v1), 0)) as c0
from (select ((case when r.product_id = any($1::uuid[]) then r.numbers[$2::int] else (case jsonb_typeof((r.data -> $3::text)) when 'number' then ((r.data -> $4::text))::float8 when 'string' then case when ((r.data -> $5::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $6::text) #>> '{}')::float8 end end) end) * (case when r.product_id = any($7::uuid[]) then (case when r.numbers[$8::int] is null then null when abs(r.numbers[$9::int]) < 9007199254740992 then r.numbers[$10::int]::int8 else (jsonb_path_query_first(r.data -> $11::text, 'strict $.** ? (@.type() == "number" || (@.type() == "string" && @ like_regex "^[+-]?[0-9]+$"))') #>> '{}')::numeric::int8 end) else (select n
from (select (case jsonb_typeof((r.data -> $12::text)) when 'number' then ((r.data -> $13::text))::float8 when 'string' then case when ((r.data -> $14::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $15::text) #>> '{}')::float8 end end) as n) x
where n = trunc(n) and abs(n) <= 9007199254740991)::int8 end)::float8) as v0,(case when (case when r.product_id = any($16::uuid[]) then r.numbers[$17::int] else (case jsonb_typeof((r.data -> $18::text)) when 'number' then ((r.data -> $19::text))::float8 when 'string' then case when ((r.data -> $20::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $21::text) #>> '{}')::float8 end end) end) is not null then 1 * (case when r.product_id = any($22::uuid[]) then (case when r.numbers[$23::int] is null then null when abs(r.numbers[$24::int]) < 9007199254740992 then r.numbers[$25::int]::int8 else (jsonb_path_query_first(r.data -> $26::text, 'strict $.** ? (@.type() == "number" || (@.type() == "string" && @ like_regex "^[+-]?[0-9]+$"))') #>> '{}')::numeric::int8 end) else (select n
from (select (case jsonb_typeof((r.data -> $27::text)) when 'number' then ((r.data -> $28::text))::float8 when 'string' then case when ((r.data -> $29::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $30::text) #>> '{}')::float8 end end) as n) x
where n = trunc(n) and abs(n) <= 9007199254740991)::int8 end)::float8 end) as v1
from record r
where r.organization_id = $31::uuid and r.device_id = any($32::uuid[]) and r.ts >= $33::timestamptz and r.ts <= $34::timestamptz offset 0) s
-- $1 = ["uuid"]
-- $2 = 1
-- $3 = "temperature"
-- $4 = "temperature"
-- $5 = "temperature"
-- $6 = "temperature"
-- $7 = ["uuid"]
-- $8 = 2
-- $9 = 2
-- $10 = 2
-- $11 = "count"
-- $12 = "count"
-- $13 = "count"
-- $14 = "count"
-- $15 = "count"
-- $16 = ["uuid"]
-- $17 = 1
-- $18 = "temperature"
-- $19 = "temperature"
-- $20 = "temperature"
-- $21 = "temperature"
-- $22 = ["uuid"]
-- $23 = 2
-- $24 = 2
-- $25 = 2
-- $26 = "count"
-- $27 = "count"
-- $28 = "count"
-- $29 = "count"
-- $30 = "count"
-- $31 = "uuid"
-- $32 = ["uuid","uuid"]
-- $33 = "2000-01-01T00:00:00.000000Z"
-- $34 = "2100-01-01T00:00:00.000000Z"
