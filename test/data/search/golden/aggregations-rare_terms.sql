/* {"size": 0, "aggs": {"a": {"rare_terms": {"field": "data.state", "max_doc_count": 1}}}} */

select t.product_id as "productId", extract(epoch from t.day)::float8 * 1000 as start
from record_summary t
where t.organization_id = $1::uuid and t.product_id = any($2::uuid[]) and not t.apart and t.day >= $3::timestamptz and t.day < $4::timestamptz
limit $5
-- $1 = "uuid"
-- $2 = ["uuid"]
-- $3 = "2000-01-01T00:00:00.000Z"
-- $4 = "2026-11-23T00:00:00.000Z"
-- $5 = 20001

select t.k0,t.n, t.total
from (select g.*, row_number() over (
order by g.n asc,g.k0 collate "C" asc,g.k0) as place, sum(g.n) over () as total
from (select s.k0,coalesce(sum(s.v0), 0)::int8 as n
from (select (case when r.product_id = any($1::uuid[]) then r.texts[$2::int] else (case when jsonb_typeof((r.data -> $3::text)) in ('string', 'number', 'boolean') then ((r.data -> $4::text) #>> '{}') end) end) as k0,case when r.slot = 0 then r.n else 0 end as v0
from ( select u.organization_id, u.device_id, u.product_id, u.day as ts, v.slot, case v.slot when 0 then u.n else u.measures[v.slot * $5::int + $6::int]::int8 end as n, u.measures[v.slot * $7::int + $8::int] as sum, u.measures[v.slot * $9::int + $10::int] as min, u.measures[v.slot * $11::int + $12::int] as max, u.measures[v.slot * $13::int + $14::int] as sum_squares, case when u.key < 0 then array_fill(u.value, array[1], array[-u.key]) end as texts, case when u.key > 0 then array_fill(u.value::float8, array[1], array[u.key]) end as numbers, null::jsonb as data
from record_value u
cross join unnest($15::int[]) v (slot)
where u.organization_id = $16::uuid and u.product_id = any($17::uuid[]) and u.device_id = any($18::uuid[]) and u.key = $19::int and u.day >= $20::timestamptz and u.day < $21::timestamptz and (u.product_id, u.day) not in (select *
from unnest($22::uuid[], $23::timestamptz[])) and (v.slot = 0 or u.measures[v.slot * $24::int + $25::int] is not null)
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot], x.texts, x.numbers, null::jsonb
from record x
cross join unnest($26::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $27::uuid and x.product_id = any($28::uuid[]) and x.device_id = any($29::uuid[]) and x.ts >= $30::timestamptz and x.ts <= least($31::timestamptz, $32::timestamptz)
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot], x.texts, x.numbers, null::jsonb
from unnest($33::uuid[], $34::timestamptz[]) y (product_id, hour)
join record x on x.product_id = y.product_id and x.ts >= y.hour and x.ts < y.hour + interval '24 hours'
cross join unnest($35::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $36::uuid and x.product_id = any($37::uuid[]) and x.device_id = any($38::uuid[]) and x.ts >= $39::timestamptz and x.ts < $40::timestamptz) r
where true and (case when r.product_id = any($41::uuid[]) then r.texts[$42::int] else (case when jsonb_typeof((r.data -> $43::text)) in ('string', 'number', 'boolean') then ((r.data -> $44::text) #>> '{}') end) end) is not null) s
group by s.k0) g
where g.n >= $45::int8 and g.n <= $46::int8) t
where t.place <= $47::int8
order by t.place
limit $48::int
-- $1 = ["uuid"]
-- $2 = 1
-- $3 = "state"
-- $4 = "state"
-- $5 = 5
-- $6 = -4
-- $7 = 5
-- $8 = -3
-- $9 = 5
-- $10 = -2
-- $11 = 5
-- $12 = -1
-- $13 = 5
-- $14 = 0
-- $15 = [0]
-- $16 = "uuid"
-- $17 = ["uuid"]
-- $18 = ["uuid","uuid"]
-- $19 = -1
-- $20 = "2000-01-01T00:00:00.000Z"
-- $21 = "2026-11-23T00:00:00.000Z"
-- $22 = ["uuid","uuid"]
-- $23 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $24 = 5
-- $25 = -4
-- $26 = [0]
-- $27 = "uuid"
-- $28 = ["uuid"]
-- $29 = ["uuid","uuid"]
-- $30 = "2026-11-23T00:00:00.000Z"
-- $31 = "2100-01-01T00:00:00.000000Z"
-- $32 = "2026-11-23T13:00:00.000Z"
-- $33 = ["uuid","uuid"]
-- $34 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $35 = [0]
-- $36 = "uuid"
-- $37 = ["uuid"]
-- $38 = ["uuid","uuid"]
-- $39 = "2026-03-28T00:00:00.000Z"
-- $40 = "2026-03-30T00:00:00.000Z"
-- $41 = ["uuid"]
-- $42 = 1
-- $43 = "state"
-- $44 = "state"
-- $45 = 1
-- $46 = 1
-- $47 = 65535
-- $48 = 65536

select count(*)
from (select
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz
limit $5::int) x
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2100-01-01T00:00:00.000000Z"
-- $5 = 10001
