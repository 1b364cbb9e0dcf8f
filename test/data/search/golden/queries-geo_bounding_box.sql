/* {"query": {"geo_bounding_box": {"device.location": {"top_left": "49,2", "bottom_right": [3, 48]}}}} */

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from record r
join device d on d.id = r.device_id
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz and coalesce((d.lat <= $5::float8 and d.lat >= $6::float8 and d.lon >= $7::float8 and d.lon <= $8::float8), false)
order by r.ts desc, r.seq desc
limit $9::int offset $10::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2100-01-01T00:00:00.000000Z"
-- $5 = 49
-- $6 = 48
-- $7 = 2
-- $8 = 3
-- $9 = 10
-- $10 = 0
