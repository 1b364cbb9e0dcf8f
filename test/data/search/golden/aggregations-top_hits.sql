/* {"size": 0, "aggs": {"a": {"top_hits": {"size": 1, "sort": [{"ts": "desc"}], "_source": ["data.temperature"]}}}} */

select count(*) as n
from (select 1
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz) s
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2100-01-01T00:00:00.000000Z"

select s.v0,s.v1,s.v2,s.v3,s.v4,s.v5,s.v6,s.v7,s.v8
from (select r.id as v0,extract(epoch from r.ts) as v1,r.device_id as v2,r.product_id as v3,r.metadata as v4,r.data as v5,r.frame as v6,r.ignored as v7,extract(epoch from r.ts) as v8,row_number() over (order by r.ts desc,r.seq) as place
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz) s
where s.place > $5::int8 and s.place <= $6::int8
order by s.place
limit $7::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2100-01-01T00:00:00.000000Z"
-- $5 = 0
-- $6 = 1
-- $7 = 65536

select (select coalesce(json_agg(x), '[]')
from ( select id, serial, name, tags, lat, lon
from device
where id = any($1::uuid[])) x) as devices, (select coalesce(json_agg(x), '[]')
from ( select id, organization_id as owner, exists ( select
from product_slot s
join jsonb_to_recordset(variables) v (name text, type text) on v.name = s.name and v.type <> s.type
where s.product_id = product.id) as retyped
from product
where id = any($2::uuid[])) x) as products
-- $1 = ["uuid"]
-- $2 = ["uuid"]
