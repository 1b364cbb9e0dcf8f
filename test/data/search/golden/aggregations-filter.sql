/* {"size": 0, "aggs": {"a": {"filter": {"term": {"data.on": true}}}}} */

select count(*) as n,count(*) filter (where s.v0) as c0
from (select coalesce((case when r.product_id = any($1::uuid[]) then r.numbers[$2::int] else (case ((r.data -> $3::text) #>> '{}') when 'true' then 1::float8 when 'false' then 0::float8 end) end) = $4::float8, false) as v0
from record r
where r.organization_id = $5::uuid and r.device_id = any($6::uuid[]) and r.ts >= $7::timestamptz and r.ts <= $8::timestamptz) s
-- $1 = ["uuid"]
-- $2 = 3
-- $3 = "on"
-- $4 = 1
-- $5 = "uuid"
-- $6 = ["uuid","uuid"]
-- $7 = "2000-01-01T00:00:00.000000Z"
-- $8 = "2100-01-01T00:00:00.000000Z"
