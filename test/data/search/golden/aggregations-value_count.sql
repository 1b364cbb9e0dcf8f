/* {"size": 0, "aggs": {"a": {"value_count": {"field": "data.temperature"}}}} */

select coalesce(sum(s.v1), 0)::int8 as n,sum(s.v0) as c0
from (select case when r.slot = $1::int and r.product_id = any($2::uuid[]) then r.n end as v0,case when r.slot = 0 then r.n else 0 end as v1
from ( select u.organization_id, u.device_id, u.product_id, u.day as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_day u
where u.organization_id = $3::uuid and u.product_id = any($4::uuid[]) and u.device_id = any($5::uuid[]) and u.slot = any($6::int[]) and u.day >= $7::timestamptz and u.day < $8::timestamptz and (coalesce(u.product_id, $9::uuid), u.day) not in (select *
from unnest($10::uuid[], $11::timestamptz[]))
union all select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_rollup u
where u.organization_id = $12::uuid and u.product_id = any($13::uuid[]) and u.device_id = any($14::uuid[]) and u.slot = any($15::int[]) and u.hour >= $16::timestamptz and u.hour < $17::timestamptz and (coalesce(u.product_id, $18::uuid), u.hour) not in (select *
from unnest($19::uuid[], $20::timestamptz[]))
union all select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_rollup u
where u.organization_id = $21::uuid and u.product_id = any($22::uuid[]) and u.device_id = any($23::uuid[]) and u.slot = any($24::int[]) and u.hour >= $25::timestamptz and u.hour < $26::timestamptz and (coalesce(u.product_id, $27::uuid), u.hour) not in (select *
from unnest($28::uuid[], $29::timestamptz[])) and (coalesce(u.product_id, $30::uuid), date_trunc('day', u.hour, 'UTC')) in (select *
from unnest($31::uuid[], $32::timestamptz[]))
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot]
from unnest($33::uuid[], $34::timestamptz[]) y (product_id, hour)
join record x on x.product_id = y.product_id and x.ts >= y.hour and x.ts < y.hour + interval '1 hour'
cross join unnest($35::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $36::uuid and x.product_id = any($37::uuid[]) and x.device_id = any($38::uuid[]) and x.ts >= $39::timestamptz and x.ts < $40::timestamptz) r
where true) s
-- $1 = 1
-- $2 = ["uuid"]
-- $3 = "uuid"
-- $4 = ["uuid"]
-- $5 = ["uuid","uuid"]
-- $6 = [0,1]
-- $7 = "2000-01-01T00:00:00.000Z"
-- $8 = "2026-11-23T00:00:00.000Z"
-- $9 = "00000000-0000-0000-0000-000000000000"
-- $10 = ["uuid","uuid"]
-- $11 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $12 = "uuid"
-- $13 = ["uuid"]
-- $14 = ["uuid","uuid"]
-- $15 = [0,1]
-- $16 = "2026-11-23T00:00:00.000Z"
-- $17 = "2026-11-23T13:00:00.000Z"
-- $18 = "00000000-0000-0000-0000-000000000000"
-- $19 = ["uuid","uuid","uuid"]
-- $20 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $21 = "uuid"
-- $22 = ["uuid"]
-- $23 = ["uuid","uuid"]
-- $24 = [0,1]
-- $25 = "2026-03-28T00:00:00.000Z"
-- $26 = "2026-03-30T00:00:00.000Z"
-- $27 = "00000000-0000-0000-0000-000000000000"
-- $28 = ["uuid","uuid","uuid"]
-- $29 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $30 = "00000000-0000-0000-0000-000000000000"
-- $31 = ["uuid","uuid"]
-- $32 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $33 = ["uuid","uuid","uuid"]
-- $34 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $35 = [0,1]
-- $36 = "uuid"
-- $37 = ["uuid"]
-- $38 = ["uuid","uuid"]
-- $39 = "2026-03-28T12:00:00.000Z"
-- $40 = "2026-03-29T13:00:00.000Z"
