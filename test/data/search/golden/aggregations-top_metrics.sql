/* {"size": 0, "aggs": {"a": {"top_metrics": {"metrics": {"field": "data.temperature"}, "sort": {"ts": "desc"}}}}} */

select count(*) as n,(array_agg(jsonb_build_array(floor(extract(epoch from s.v0) * 1000),s.v2)
order by s.v0 desc,s.v1))[1:$1::int] as c0
from (select r.ts as v0,r.seq as v1,(case when r.product_id = any($2::uuid[]) then r.numbers[$3::int] else (case jsonb_typeof((r.data -> $4::text)) when 'number' then ((r.data -> $5::text))::float8 when 'string' then case when ((r.data -> $6::text) #>> '{}') ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ((r.data -> $7::text) #>> '{}')::float8 end end) end) as v2
from record r
where r.organization_id = $8::uuid and r.device_id = any($9::uuid[]) and r.ts >= $10::timestamptz and r.ts <= $11::timestamptz offset 0) s
-- $1 = 1
-- $2 = ["uuid"]
-- $3 = 1
-- $4 = "temperature"
-- $5 = "temperature"
-- $6 = "temperature"
-- $7 = "temperature"
-- $8 = "uuid"
-- $9 = ["uuid","uuid"]
-- $10 = "2000-01-01T00:00:00.000000Z"
-- $11 = "2100-01-01T00:00:00.000000Z"
