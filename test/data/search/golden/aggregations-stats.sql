/* {"size": 0, "aggs": {"a": {"stats": {"field": "data.temperature"}}}} */

select coalesce(sum(s.v5), 0)::int8 as n,coalesce(sum(s.v0), 0)::int8 as c0,sum(s.v1) as c1,min(s.v3) as c2,max(s.v4) as c3
from (select case when r.slot = $1::int and r.product_id = any($2::uuid[]) then r.n end as v0,case when r.slot = $3::int and r.product_id = any($4::uuid[]) then r.sum end as v1,case when r.slot = $5::int and r.product_id = any($6::uuid[]) then r.sum_squares end as v2,case when r.slot = $7::int and r.product_id = any($8::uuid[]) then r.min end as v3,case when r.slot = $9::int and r.product_id = any($10::uuid[]) then r.max end as v4,case when r.slot = 0 then r.n else 0 end as v5
from ( select u.organization_id, u.device_id, u.product_id, u.day as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_day u
where u.organization_id = $11::uuid and u.product_id = any($12::uuid[]) and u.device_id = any($13::uuid[]) and u.slot = any($14::int[]) and u.day >= $15::timestamptz and u.day < $16::timestamptz and (coalesce(u.product_id, $17::uuid), u.day) not in (select *
from unnest($18::uuid[], $19::timestamptz[]))
union all select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_rollup u
where u.organization_id = $20::uuid and u.product_id = any($21::uuid[]) and u.device_id = any($22::uuid[]) and u.slot = any($23::int[]) and u.hour >= $24::timestamptz and u.hour < $25::timestamptz and (coalesce(u.product_id, $26::uuid), u.hour) not in (select *
from unnest($27::uuid[], $28::timestamptz[]))
union all select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_rollup u
where u.organization_id = $29::uuid and u.product_id = any($30::uuid[]) and u.device_id = any($31::uuid[]) and u.slot = any($32::int[]) and u.hour >= $33::timestamptz and u.hour < $34::timestamptz and (coalesce(u.product_id, $35::uuid), u.hour) not in (select *
from unnest($36::uuid[], $37::timestamptz[])) and (coalesce(u.product_id, $38::uuid), date_trunc('day', u.hour, 'UTC')) in (select *
from unnest($39::uuid[], $40::timestamptz[]))
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot]
from unnest($41::uuid[], $42::timestamptz[]) y (product_id, hour)
join record x on x.product_id = y.product_id and x.ts >= y.hour and x.ts < y.hour + interval '1 hour'
cross join unnest($43::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $44::uuid and x.product_id = any($45::uuid[]) and x.device_id = any($46::uuid[]) and x.ts >= $47::timestamptz and x.ts < $48::timestamptz) r
where true) s
-- $1 = 1
-- $2 = ["uuid"]
-- $3 = 1
-- $4 = ["uuid"]
-- $5 = 1
-- $6 = ["uuid"]
-- $7 = 1
-- $8 = ["uuid"]
-- $9 = 1
-- $10 = ["uuid"]
-- $11 = "uuid"
-- $12 = ["uuid"]
-- $13 = ["uuid","uuid"]
-- $14 = [0,1]
-- $15 = "2000-01-01T00:00:00.000Z"
-- $16 = "2026-11-23T00:00:00.000Z"
-- $17 = "00000000-0000-0000-0000-000000000000"
-- $18 = ["uuid","uuid"]
-- $19 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $20 = "uuid"
-- $21 = ["uuid"]
-- $22 = ["uuid","uuid"]
-- $23 = [0,1]
-- $24 = "2026-11-23T00:00:00.000Z"
-- $25 = "2026-11-23T13:00:00.000Z"
-- $26 = "00000000-0000-0000-0000-000000000000"
-- $27 = ["uuid","uuid","uuid"]
-- $28 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $29 = "uuid"
-- $30 = ["uuid"]
-- $31 = ["uuid","uuid"]
-- $32 = [0,1]
-- $33 = "2026-03-28T00:00:00.000Z"
-- $34 = "2026-03-30T00:00:00.000Z"
-- $35 = "00000000-0000-0000-0000-000000000000"
-- $36 = ["uuid","uuid","uuid"]
-- $37 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $38 = "00000000-0000-0000-0000-000000000000"
-- $39 = ["uuid","uuid"]
-- $40 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $41 = ["uuid","uuid","uuid"]
-- $42 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $43 = [0,1]
-- $44 = "uuid"
-- $45 = ["uuid"]
-- $46 = ["uuid","uuid"]
-- $47 = "2026-03-28T12:00:00.000Z"
-- $48 = "2026-03-29T13:00:00.000Z"
