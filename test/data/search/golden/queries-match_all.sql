/* {"query": {"match_all": {}}} */

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from unnest($1::uuid[]) as one(id)
cross join lateral (select r.*
from record r
where r.device_id = one.id and r.organization_id = $2::uuid and r.device_id = any($3::uuid[]) and r.ts >= $4::timestamptz and r.ts <= $5::timestamptz
order by r.ts desc, r.seq desc
limit $6::int) r
order by r.ts desc, r.seq desc
limit $7::int offset $8::int
-- $1 = ["uuid","uuid"]
-- $2 = "uuid"
-- $3 = ["uuid","uuid"]
-- $4 = "2000-01-01T00:00:00.000000Z"
-- $5 = "2100-01-01T00:00:00.000000Z"
-- $6 = 10
-- $7 = 10
-- $8 = 0
