/* {"size": 0, "aggs": {"a": {"missing": {"field": "data.on"}}}} */

select count(*) as n,count(*) filter (where s.v0) as c0
from (select (not ((case when r.product_id = any($1::uuid[]) then r.numbers[$2::int] else (case ((r.data -> $3::text) #>> '{}') when 'true' then 1::float8 when 'false' then 0::float8 end) end) is not null)) as v0
from record r
where r.organization_id = $4::uuid and r.device_id = any($5::uuid[]) and r.ts >= $6::timestamptz and r.ts <= $7::timestamptz) s
-- $1 = ["uuid"]
-- $2 = 3
-- $3 = "on"
-- $4 = "uuid"
-- $5 = ["uuid","uuid"]
-- $6 = "2000-01-01T00:00:00.000000Z"
-- $7 = "2100-01-01T00:00:00.000000Z"
