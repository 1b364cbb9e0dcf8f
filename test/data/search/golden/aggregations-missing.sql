/* {"size": 0, "aggs": {"a": {"missing": {"field": "data.on"}}}} */

select t.product_id as "productId", extract(epoch from t.day)::float8 * 1000 as start
from record_summary t
where t.organization_id = $1::uuid and t.product_id = any($2::uuid[]) and not t.apart and t.day >= $3::timestamptz and t.day < $4::timestamptz
limit $5
-- $1 = "uuid"
-- $2 = ["uuid"]
-- $3 = "2000-01-01T00:00:00.000Z"
-- $4 = "2026-11-23T00:00:00.000Z"
-- $5 = 20001

select coalesce(sum(s.v1), 0)::int8 as n,coalesce(sum(s.v1) filter (where s.v0), 0)::int8 as c0
from (select (not ((case when r.product_id = any($1::uuid[]) then r.numbers[$2::int] else (case ((r.data -> $3::text) #>> '{}') when 'true' then 1::float8 when 'false' then 0::float8 end) end) is not null)) as v0,case when r.slot = 0 then r.n else 0 end as v1
from ( select u.organization_id, u.device_id, u.product_id, u.day as ts, v.slot, case v.slot when 0 then u.n else u.measures[v.slot * $4::int + $5::int]::int8 end as n, u.measures[v.slot * $6::int + $7::int] as sum, u.measures[v.slot * $8::int + $9::int] as min, u.measures[v.slot * $10::int + $11::int] as max, u.measures[v.slot * $12::int + $13::int] as sum_squares, case when u.key < 0 then array_fill(u.value, array[1], array[-u.key]) end as texts, case when u.key > 0 then array_fill(u.value::float8, array[1], array[u.key]) end as numbers, null::jsonb as data
from record_value u
cross join unnest($14::int[]) v (slot)
where u.organization_id = $15::uuid and u.product_id = any($16::uuid[]) and u.device_id = any($17::uuid[]) and u.key = $18::int and u.day >= $19::timestamptz and u.day < $20::timestamptz and (u.product_id, u.day) not in (select *
from unnest($21::uuid[], $22::timestamptz[])) and (v.slot = 0 or u.measures[v.slot * $23::int + $24::int] is not null)
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot], x.texts, x.numbers, null::jsonb
from record x
cross join unnest($25::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $26::uuid and x.product_id = any($27::uuid[]) and x.device_id = any($28::uuid[]) and x.ts >= $29::timestamptz and x.ts <= least($30::timestamptz, $31::timestamptz)
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot], x.texts, x.numbers, null::jsonb
from unnest($32::uuid[], $33::timestamptz[]) y (product_id, hour)
join record x on x.product_id = y.product_id and x.ts >= y.hour and x.ts < y.hour + interval '24 hours'
cross join unnest($34::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $35::uuid and x.product_id = any($36::uuid[]) and x.device_id = any($37::uuid[]) and x.ts >= $38::timestamptz and x.ts < $39::timestamptz) r
where true) s
-- $1 = ["uuid"]
-- $2 = 3
-- $3 = "on"
-- $4 = 5
-- $5 = -4
-- $6 = 5
-- $7 = -3
-- $8 = 5
-- $9 = -2
-- $10 = 5
-- $11 = -1
-- $12 = 5
-- $13 = 0
-- $14 = [0]
-- $15 = "uuid"
-- $16 = ["uuid"]
-- $17 = ["uuid","uuid"]
-- $18 = 3
-- $19 = "2000-01-01T00:00:00.000Z"
-- $20 = "2026-11-23T00:00:00.000Z"
-- $21 = ["uuid","uuid"]
-- $22 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $23 = 5
-- $24 = -4
-- $25 = [0]
-- $26 = "uuid"
-- $27 = ["uuid"]
-- $28 = ["uuid","uuid"]
-- $29 = "2026-11-23T00:00:00.000Z"
-- $30 = "2100-01-01T00:00:00.000000Z"
-- $31 = "2026-11-23T13:00:00.000Z"
-- $32 = ["uuid","uuid"]
-- $33 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $34 = [0]
-- $35 = "uuid"
-- $36 = ["uuid"]
-- $37 = ["uuid","uuid"]
-- $38 = "2026-03-28T00:00:00.000Z"
-- $39 = "2026-03-30T00:00:00.000Z"
