/* {"size": 0, "aggs": {"a": {"percentiles": {"field": "data.temperature", "percents": [50, 95]}}}} */

select coalesce(sum(s.v4), 0)::int8 as n,string_agg(s.v3, ''::bytea) as c0
from (select case when r.slot = $1::int and r.product_id = any($2::uuid[]) then r.n end as v0,case when r.slot = $3::int and r.product_id = any($4::uuid[]) then r.sum end as v1,case when r.slot = $5::int and r.product_id = any($6::uuid[]) then r.sum_squares end as v2,case when r.slot = $7::int and r.product_id = any($8::uuid[]) then r.digest end as v3,case when r.slot = 0 then r.n else 0 end as v4
from ( select u.organization_id, u.device_id, u.product_id, u.day as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares, u.digest
from record_digest u
where u.organization_id = $9::uuid and u.product_id = any($10::uuid[]) and u.slot = any($11::int[]) and u.day >= $12::timestamptz and u.day < $13::timestamptz and (u.product_id, u.day) not in (select *
from unnest($14::uuid[], $15::timestamptz[])) and u.device_id = any($16::uuid[])
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot], case when v.slot > 0 then int4send(1) || float8send(x.numbers[v.slot]) end
from record x
cross join unnest($17::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $18::uuid and x.product_id = any($19::uuid[]) and x.device_id = any($20::uuid[]) and x.ts >= $21::timestamptz and x.ts <= least($22::timestamptz, $23::timestamptz)
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot], case when v.slot > 0 then int4send(1) || float8send(x.numbers[v.slot]) end
from unnest($24::uuid[], $25::timestamptz[]) y (product_id, hour)
join record x on x.product_id = y.product_id and x.ts >= y.hour and x.ts < y.hour + interval '24 hours'
cross join unnest($26::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $27::uuid and x.product_id = any($28::uuid[]) and x.device_id = any($29::uuid[]) and x.ts >= $30::timestamptz and x.ts < $31::timestamptz) r
where true) s
-- $1 = 1
-- $2 = ["uuid"]
-- $3 = 1
-- $4 = ["uuid"]
-- $5 = 1
-- $6 = ["uuid"]
-- $7 = 1
-- $8 = ["uuid"]
-- $9 = "uuid"
-- $10 = ["uuid"]
-- $11 = [0,1]
-- $12 = "2000-01-01T00:00:00.000Z"
-- $13 = "2026-11-23T00:00:00.000Z"
-- $14 = ["uuid","uuid"]
-- $15 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $16 = ["uuid","uuid"]
-- $17 = [0,1]
-- $18 = "uuid"
-- $19 = ["uuid"]
-- $20 = ["uuid","uuid"]
-- $21 = "2026-11-23T00:00:00.000Z"
-- $22 = "2100-01-01T00:00:00.000000Z"
-- $23 = "2026-11-23T13:00:00.000Z"
-- $24 = ["uuid","uuid"]
-- $25 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $26 = [0,1]
-- $27 = "uuid"
-- $28 = ["uuid"]
-- $29 = ["uuid","uuid"]
-- $30 = "2026-03-28T00:00:00.000Z"
-- $31 = "2026-03-30T00:00:00.000Z"
