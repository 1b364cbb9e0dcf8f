/* {"size": 0, "aggs": {"a": {"cardinality": {"field": "data.state"}}}} */

select count(*) as n,count(distinct s.v0) as c0
from (select (case when r.product_id = any($1::uuid[]) then r.texts[$2::int] else (case when jsonb_typeof((r.data -> $3::text)) in ('string', 'number', 'boolean') then ((r.data -> $4::text) #>> '{}') end) end) as v0
from record r
where r.organization_id = $5::uuid and r.device_id = any($6::uuid[]) and r.ts >= $7::timestamptz and r.ts <= $8::timestamptz) s
-- $1 = ["uuid"]
-- $2 = 1
-- $3 = "state"
-- $4 = "state"
-- $5 = "uuid"
-- $6 = ["uuid","uuid"]
-- $7 = "2000-01-01T00:00:00.000000Z"
-- $8 = "2100-01-01T00:00:00.000000Z"
