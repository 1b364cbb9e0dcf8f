/* {"query": {"multi_match": {"query": "lora", "fields": ["metadata.*"], "lenient": true}}} */

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz and coalesce((case when jsonb_typeof((r.metadata #> $5::text[])) in ('string', 'number', 'boolean') then ((r.metadata #> $6::text[]) #>> '{}') end) = $7::text, false)
order by r.ts desc, r.seq desc
limit $8::int offset $9::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2100-01-01T00:00:00.000000Z"
-- $5 = ["provider"]
-- $6 = ["provider"]
-- $7 = "lora"
-- $8 = 10
-- $9 = 0
