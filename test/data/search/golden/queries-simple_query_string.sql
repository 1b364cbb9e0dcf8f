/* {"query": {"simple_query_string": {"query": "ok | alarm", "fields": ["data.state"]}}} */

select r.id,extract(epoch from r.ts),r.device_id,r.product_id,r.metadata,r.data,r.frame,r.ignored
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz and (coalesce((case r.product_id when $5::uuid then r.texts[$6::int] else (case when jsonb_typeof((r.data -> $7::text)) in ('string', 'number', 'boolean') then ((r.data -> $8::text) #>> '{}') end) end) = $9::text, false) or coalesce((case r.product_id when $10::uuid then r.texts[$11::int] else (case when jsonb_typeof((r.data -> $12::text)) in ('string', 'number', 'boolean') then ((r.data -> $13::text) #>> '{}') end) end) = $14::text, false))
order by r.ts desc, r.seq desc
limit $15::int offset $16::int
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2100-01-01T00:00:00.000000Z"
-- $5 = "uuid"
-- $6 = 1
-- $7 = "state"
-- $8 = "state"
-- $9 = "ok"
-- $10 = "uuid"
-- $11 = 1
-- $12 = "state"
-- $13 = "state"
-- $14 = "alarm"
-- $15 = 10
-- $16 = 0
