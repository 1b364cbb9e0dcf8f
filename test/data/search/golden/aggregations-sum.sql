/* {"size": 0, "aggs": {"a": {"sum": {"field": "data.temperature"}}}} */

select coalesce(sum(s.v3), 0)::int8 as n,sum(s.v1) as c0
from (select case when r.slot = $1::int and r.product_id = any($2::uuid[]) then r.n end as v0,case when r.slot = $3::int and r.product_id = any($4::uuid[]) then r.sum end as v1,case when r.slot = $5::int and r.product_id = any($6::uuid[]) then r.sum_squares end as v2,case when r.slot = 0 then r.n else 0 end as v3
from ( select u.organization_id, u.device_id, u.product_id, u.day as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_day u
where u.organization_id = $7::uuid and u.product_id = any($8::uuid[]) and u.device_id = any($9::uuid[]) and u.slot = any($10::int[]) and u.day >= $11::timestamptz and u.day < $12::timestamptz and (coalesce(u.product_id, $13::uuid), u.day) not in (select *
from unnest($14::uuid[], $15::timestamptz[]))
union all select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_rollup u
where u.organization_id = $16::uuid and u.product_id = any($17::uuid[]) and u.device_id = any($18::uuid[]) and u.slot = any($19::int[]) and u.hour >= $20::timestamptz and u.hour < $21::timestamptz and (coalesce(u.product_id, $22::uuid), u.hour) not in (select *
from unnest($23::uuid[], $24::timestamptz[]))
union all select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_rollup u
where u.organization_id = $25::uuid and u.product_id = any($26::uuid[]) and u.device_id = any($27::uuid[]) and u.slot = any($28::int[]) and u.hour >= $29::timestamptz and u.hour < $30::timestamptz and (coalesce(u.product_id, $31::uuid), u.hour) not in (select *
from unnest($32::uuid[], $33::timestamptz[])) and (coalesce(u.product_id, $34::uuid), date_trunc('day', u.hour, 'UTC')) in (select *
from unnest($35::uuid[], $36::timestamptz[]))
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot]
from unnest($37::uuid[], $38::timestamptz[]) y (product_id, hour)
join record x on x.product_id = y.product_id and x.ts >= y.hour and x.ts < y.hour + interval '1 hour'
cross join unnest($39::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $40::uuid and x.product_id = any($41::uuid[]) and x.device_id = any($42::uuid[]) and x.ts >= $43::timestamptz and x.ts < $44::timestamptz) r
where true) s
-- $1 = 1
-- $2 = ["uuid"]
-- $3 = 1
-- $4 = ["uuid"]
-- $5 = 1
-- $6 = ["uuid"]
-- $7 = "uuid"
-- $8 = ["uuid"]
-- $9 = ["uuid","uuid"]
-- $10 = [0,1]
-- $11 = "2000-01-01T00:00:00.000Z"
-- $12 = "2026-11-23T00:00:00.000Z"
-- $13 = "00000000-0000-0000-0000-000000000000"
-- $14 = ["uuid","uuid"]
-- $15 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $16 = "uuid"
-- $17 = ["uuid"]
-- $18 = ["uuid","uuid"]
-- $19 = [0,1]
-- $20 = "2026-11-23T00:00:00.000Z"
-- $21 = "2026-11-23T13:00:00.000Z"
-- $22 = "00000000-0000-0000-0000-000000000000"
-- $23 = ["uuid","uuid","uuid"]
-- $24 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $25 = "uuid"
-- $26 = ["uuid"]
-- $27 = ["uuid","uuid"]
-- $28 = [0,1]
-- $29 = "2026-03-28T00:00:00.000Z"
-- $30 = "2026-03-30T00:00:00.000Z"
-- $31 = "00000000-0000-0000-0000-000000000000"
-- $32 = ["uuid","uuid","uuid"]
-- $33 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $34 = "00000000-0000-0000-0000-000000000000"
-- $35 = ["uuid","uuid"]
-- $36 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $37 = ["uuid","uuid","uuid"]
-- $38 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $39 = [0,1]
-- $40 = "uuid"
-- $41 = ["uuid"]
-- $42 = ["uuid","uuid"]
-- $43 = "2026-03-28T12:00:00.000Z"
-- $44 = "2026-03-29T13:00:00.000Z"
