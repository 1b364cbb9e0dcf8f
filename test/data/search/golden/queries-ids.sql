/* {"query": {"ids": {"values": ["00000000-0000-7000-8000-000000000000"]}}} */

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz and r.id = any($5::uuid[])
order by r.ts desc, r.seq desc
limit $6::int offset $7::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2026-11-16T12:00:00.000Z"
-- $4 = "2026-11-23T12:00:00.000Z"
-- $5 = ["uuid"]
-- $6 = 10
-- $7 = 0

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz and r.id = any($5::uuid[])
order by r.ts desc, r.seq desc
limit $6::int offset $7::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2026-11-16T11:59:59.999999Z"
-- $5 = ["uuid"]
-- $6 = 10
-- $7 = 0
