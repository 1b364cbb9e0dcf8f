/* {"size": 0, "aggs": {"a": {"composite": {"size": 2, "sources": [{"state": {"terms": {"field": "data.state"}}}, {"day": {"date_histogram": {"field": "ts", "calendar_interval": "day"}}}]}}}} */

select t.product_id as "productId", extract(epoch from t.day)::float8 * 1000 as start
from record_summary t
where t.organization_id = $1::uuid and t.product_id = any($2::uuid[]) and not t.apart and t.day >= $3::timestamptz and t.day < $4::timestamptz
limit $5
-- $1 = "uuid"
-- $2 = ["uuid"]
-- $3 = "2000-01-01T00:00:00.000Z"
-- $4 = "2026-11-23T00:00:00.000Z"
-- $5 = 20001

select t.k0,t.k1,t.n, t.total
from (select g.*, row_number() over (
order by g.k0 collate "C" asc nulls first,g.k1 asc nulls first,g.k0,g.k1) as place, sum(g.n) over () as total
from (select s.k0,(extract(epoch from s.k1) * 1000)::int8 as k1,coalesce(sum(s.v0), 0)::int8 as n
from (select (case when r.product_id = any($1::uuid[]) then r.texts[$2::int] else (case when jsonb_typeof((r.data -> $3::text)) in ('string', 'number', 'boolean') then ((r.data -> $4::text) #>> '{}') end) end) as k0,date_bin(make_interval(secs => $5::float8), r.ts, $6::timestamptz) as k1,case when r.slot = 0 then r.n else 0 end as v0
from ( select u.organization_id, u.device_id, u.product_id, u.day as ts, v.slot, case v.slot when 0 then u.n else u.measures[v.slot * $7::int + $8::int]::int8 end as n, u.measures[v.slot * $9::int + $10::int] as sum, u.measures[v.slot * $11::int + $12::int] as min, u.measures[v.slot * $13::int + $14::int] as max, u.measures[v.slot * $15::int + $16::int] as sum_squares, case when u.key < 0 then array_fill(u.value, array[1], array[-u.key]) end as texts, case when u.key > 0 then array_fill(u.value::float8, array[1], array[u.key]) end as numbers, null::jsonb as data
from record_value u
cross join unnest($17::int[]) v (slot)
where u.organization_id = $18::uuid and u.product_id = any($19::uuid[]) and u.device_id = any($20::uuid[]) and u.key = $21::int and u.day >= $22::timestamptz and u.day < $23::timestamptz and (u.product_id, u.day) not in (select *
from unnest($24::uuid[], $25::timestamptz[])) and (v.slot = 0 or u.measures[v.slot * $26::int + $27::int] is not null)
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot], x.texts, x.numbers, null::jsonb
from record x
cross join unnest($28::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $29::uuid and x.product_id = any($30::uuid[]) and x.device_id = any($31::uuid[]) and x.ts >= $32::timestamptz and x.ts <= least($33::timestamptz, $34::timestamptz)
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot], x.texts, x.numbers, null::jsonb
from unnest($35::uuid[], $36::timestamptz[]) y (product_id, hour)
join record x on x.product_id = y.product_id and x.ts >= y.hour and x.ts < y.hour + interval '24 hours'
cross join unnest($37::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $38::uuid and x.product_id = any($39::uuid[]) and x.device_id = any($40::uuid[]) and x.ts >= $41::timestamptz and x.ts < $42::timestamptz) r
where true and (case when r.product_id = any($43::uuid[]) then r.texts[$44::int] else (case when jsonb_typeof((r.data -> $45::text)) in ('string', 'number', 'boolean') then ((r.data -> $46::text) #>> '{}') end) end) is not null) s
group by s.k0,s.k1) g
where g.n >= $47::int8) t
where t.place <= $48::int8
order by t.place
limit $49::int
-- $1 = ["uuid"]
-- $2 = 1
-- $3 = "state"
-- $4 = "state"
-- $5 = 86400
-- $6 = "1970-01-01T00:00:00.000Z"
-- $7 = 5
-- $8 = -4
-- $9 = 5
-- $10 = -3
-- $11 = 5
-- $12 = -2
-- $13 = 5
-- $14 = -1
-- $15 = 5
-- $16 = 0
-- $17 = [0]
-- $18 = "uuid"
-- $19 = ["uuid"]
-- $20 = ["uuid","uuid"]
-- $21 = -1
-- $22 = "2000-01-01T00:00:00.000Z"
-- $23 = "2026-11-23T00:00:00.000Z"
-- $24 = ["uuid","uuid"]
-- $25 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $26 = 5
-- $27 = -4
-- $28 = [0]
-- $29 = "uuid"
-- $30 = ["uuid"]
-- $31 = ["uuid","uuid"]
-- $32 = "2026-11-23T00:00:00.000Z"
-- $33 = "2100-01-01T00:00:00.000000Z"
-- $34 = "2026-11-23T13:00:00.000Z"
-- $35 = ["uuid","uuid"]
-- $36 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $37 = [0]
-- $38 = "uuid"
-- $39 = ["uuid"]
-- $40 = ["uuid","uuid"]
-- $41 = "2026-03-28T00:00:00.000Z"
-- $42 = "2026-03-30T00:00:00.000Z"
-- $43 = ["uuid"]
-- $44 = 1
-- $45 = "state"
-- $46 = "state"
-- $47 = 1
-- $48 = 2
-- $49 = 65536

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
