/* {"size": 0, "aggs": {"a": {"percentile_ranks": {"field": "data.temperature", "values": [21]}}}} */

select t.product_id as "productId", extract(epoch from t.day)::float8 * 1000 as start
from record_summary t
where t.organization_id = $1::uuid and t.product_id = any($2::uuid[]) and not t.apart and t.day >= $3::timestamptz and t.day < $4::timestamptz
limit $5
-- $1 = "uuid"
-- $2 = ["uuid"]
-- $3 = "2000-01-01T00:00:00.000Z"
-- $4 = "2026-11-23T00:00:00.000Z"
-- $5 = 501

select coalesce(sum(s.v4), 0)::int8 as n,case when sum(octet_length(s.v3)) > $1::int then ''::bytea else string_agg(s.v3, ''::bytea) end as c0
from (select case when r.slot = $2::int and r.product_id = any($3::uuid[]) then r.n end as v0,case when r.slot = $4::int and r.product_id = any($5::uuid[]) then r.sum end as v1,case when r.slot = $6::int and r.product_id = any($7::uuid[]) then r.sum_squares end as v2,case when r.slot = $8::int and r.product_id = any($9::uuid[]) then r.digest end as v3,case when r.slot = 0 then r.n else 0 end as v4
from ( select u.organization_id, u.device_id, u.product_id, u.day as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares, u.digest
from record_digest u
where u.organization_id = $10::uuid and u.product_id = any($11::uuid[]) and u.slot = any($12::int[]) and u.day >= $13::timestamptz and u.day < $14::timestamptz and (u.product_id, u.day) not in (select *
from unnest($15::uuid[], $16::timestamptz[])) and u.device_id = any($17::uuid[])
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot], case when v.slot > 0 then int4send(1) || float8send(x.numbers[v.slot]) end
from record x
cross join unnest($18::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $19::uuid and x.product_id = any($20::uuid[]) and x.device_id = any($21::uuid[]) and x.ts >= $22::timestamptz and x.ts <= least($23::timestamptz, $24::timestamptz)
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot], case when v.slot > 0 then int4send(1) || float8send(x.numbers[v.slot]) end
from unnest($25::uuid[], $26::timestamptz[]) y (product_id, hour)
join record x on x.product_id = y.product_id and x.ts >= y.hour and x.ts < y.hour + interval '24 hours'
cross join unnest($27::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $28::uuid and x.product_id = any($29::uuid[]) and x.device_id = any($30::uuid[]) and x.ts >= $31::timestamptz and x.ts < $32::timestamptz) r
where true) s
-- $1 = 33554432
-- $2 = 1
-- $3 = ["uuid"]
-- $4 = 1
-- $5 = ["uuid"]
-- $6 = 1
-- $7 = ["uuid"]
-- $8 = 1
-- $9 = ["uuid"]
-- $10 = "uuid"
-- $11 = ["uuid"]
-- $12 = [0,1]
-- $13 = "2000-01-01T00:00:00.000Z"
-- $14 = "2026-11-23T00:00:00.000Z"
-- $15 = ["uuid","uuid"]
-- $16 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $17 = ["uuid","uuid"]
-- $18 = [0,1]
-- $19 = "uuid"
-- $20 = ["uuid"]
-- $21 = ["uuid","uuid"]
-- $22 = "2026-11-23T00:00:00.000Z"
-- $23 = "2100-01-01T00:00:00.000000Z"
-- $24 = "2026-11-23T13:00:00.000Z"
-- $25 = ["uuid","uuid"]
-- $26 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $27 = [0,1]
-- $28 = "uuid"
-- $29 = ["uuid"]
-- $30 = ["uuid","uuid"]
-- $31 = "2026-03-28T00:00:00.000Z"
-- $32 = "2026-03-30T00:00:00.000Z"
