/* {"size": 0, "aggs": {"a": {"geo_centroid": {"field": "device.location"}}}} */

select count(*) as n,avg(s.v0) as c0,avg(s.v1) as c1,count(s.v0) as c2
from (select d.lat as v0,d.lon as v1
from record r
join device d on d.id = r.device_id
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz) s
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2100-01-01T00:00:00.000000Z"
