/* {"query": {"range": {"ts": {"gte": "2026-03-29||/d", "lt": "2026-03-29||+1d/d", "time_zone": "Europe/Paris"}}}} */

with page as materialized (select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from unnest($1::uuid[]) as one(id)
cross join lateral (select r.*
from record r
where r.device_id = one.id and r.organization_id = $2::uuid and r.device_id = any($3::uuid[]) and r.ts >= $4::timestamptz and r.ts <= $5::timestamptz and (r.ts >= $6::timestamptz and r.ts < $7::timestamptz)
order by r.ts desc, r.seq desc
limit $8::int) r
order by r.ts desc, r.seq desc
limit $9::int offset $10::int) select page.*, case when row_number() over () = 1 then ( select row_to_json(x)
from (select (select coalesce(json_agg(x), '[]')
from ( select id, serial, name, tags, lat, lon
from device
where id = any(array(select device_id
from page))) x) as devices, (select coalesce(json_agg(x), '[]')
from ( select id, organization_id as owner, exists ( select
from product_slot s
join jsonb_to_recordset(variables) v (name text, type text) on v.name = s.name and v.type <> s.type
where s.product_id = product.id) as retyped
from product
where id = any(array(select product_id
from page))) x) as products) x) end
from page
-- $1 = ["uuid","uuid"]
-- $2 = "uuid"
-- $3 = ["uuid","uuid"]
-- $4 = "2000-01-01T00:00:00.000000Z"
-- $5 = "2100-01-01T00:00:00.000000Z"
-- $6 = "2026-03-28T23:00:00.000Z"
-- $7 = "2026-03-29T22:00:00.000Z"
-- $8 = 10
-- $9 = 10
-- $10 = 0
