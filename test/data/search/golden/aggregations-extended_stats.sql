/* {"size": 0, "aggs": {"a": {"extended_stats": {"field": "data.temperature"}}}} */

select extract(epoch from min(t.hour))::float8 * 1000 as from, extract(epoch from max(t.hour) + interval '1 hour')::float8 * 1000 as until, ( select json_agg(json_build_object('source', source, 'productId', s.product_id, 'days', array( select extract(epoch from day) * 1000
from record_blocked e
where e.source = s.source and not e.apart and e.day >= $1::timestamptz::date and e.day < $2::timestamptz::date)))
from record_block_source s
where s.organization_id = $3::uuid and s.product_id = any($4::uuid[])) as replaced
from record_total t
where t.organization_id = $5::uuid and t.product_id = any($6::uuid[]) and not t.apart and t.hour >= $7::timestamptz and t.hour < $8::timestamptz
-- $1 = "2000-01-01T00:00:00.000Z"
-- $2 = "2026-11-23T13:00:00.000Z"
-- $3 = "uuid"
-- $4 = ["uuid"]
-- $5 = "uuid"
-- $6 = ["uuid"]
-- $7 = "2000-01-01T00:00:00.000Z"
-- $8 = "2026-11-23T13:00:00.000Z"

select coalesce(sum(s.v5), 0)::int8 as n,coalesce(sum(s.v0), 0)::int8 as c0,sum(s.v1) as c1,min(s.v3) as c2,max(s.v4) as c3,sum(s.v2) as c4
from (select case when r.slot = $1::int and r.product_id = any($2::uuid[]) then r.n end as v0,case when r.slot = $3::int and r.product_id = any($4::uuid[]) then r.sum end as v1,case when r.slot = $5::int and r.product_id = any($6::uuid[]) then r.sum_squares end as v2,case when r.slot = $7::int and r.product_id = any($8::uuid[]) then r.min end as v3,case when r.slot = $9::int and r.product_id = any($10::uuid[]) then r.max end as v4,case when r.slot = 0 then r.n else 0 end as v5
from ( select u.organization_id, u.device_id, u.product_id, u.day as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_day u
where u.organization_id = $11::uuid and u.product_id = any($12::uuid[]) and u.device_id = any($13::uuid[]) and u.slot = any($14::int[]) and u.day >= $15::timestamptz and u.day < $16::timestamptz and (coalesce(u.product_id, $17::uuid), u.day) not in (select *
from unnest($18::uuid[], $19::timestamptz[]))
union all select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_rollup u
where u.organization_id = $20::uuid and u.product_id = any($21::uuid[]) and u.device_id = any($22::uuid[]) and u.slot = any($23::int[]) and u.hour >= $24::timestamptz and u.hour < $25::timestamptz and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') >= date_bin('1 day', $26::timestamptz, timestamptz '1970-01-01 00:00:00+00') and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') < $27::timestamptz and (coalesce(u.product_id, $28::uuid), u.hour) not in (select *
from unnest($29::uuid[], $30::timestamptz[]))
union all select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_rollup u
where u.organization_id = $31::uuid and u.product_id = any($32::uuid[]) and u.device_id = any($33::uuid[]) and u.slot = any($34::int[]) and u.hour >= $35::timestamptz and u.hour < $36::timestamptz and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') >= date_bin('1 day', $37::timestamptz, timestamptz '1970-01-01 00:00:00+00') and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') < $38::timestamptz and (coalesce(u.product_id, $39::uuid), u.hour) not in (select *
from unnest($40::uuid[], $41::timestamptz[])) and (coalesce(u.product_id, $42::uuid), date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00')) in (select *
from unnest($43::uuid[], $44::timestamptz[]))
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot]
from unnest($45::uuid[], $46::timestamptz[]) y (product_id, hour)
join record x on x.product_id = y.product_id and x.ts >= y.hour and x.ts < y.hour + interval '1 hour'
cross join unnest($47::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $48::uuid and x.product_id = any($49::uuid[]) and x.device_id = any($50::uuid[]) and x.ts >= $51::timestamptz and x.ts < $52::timestamptz) r
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
-- $26 = "2026-11-23T00:00:00.000Z"
-- $27 = "2026-11-23T13:00:00.000Z"
-- $28 = "00000000-0000-0000-0000-000000000000"
-- $29 = ["uuid","uuid","uuid"]
-- $30 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $31 = "uuid"
-- $32 = ["uuid"]
-- $33 = ["uuid","uuid"]
-- $34 = [0,1]
-- $35 = "2026-03-28T00:00:00.000Z"
-- $36 = "2026-03-30T00:00:00.000Z"
-- $37 = "2026-03-28T00:00:00.000Z"
-- $38 = "2026-03-30T00:00:00.000Z"
-- $39 = "00000000-0000-0000-0000-000000000000"
-- $40 = ["uuid","uuid","uuid"]
-- $41 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $42 = "00000000-0000-0000-0000-000000000000"
-- $43 = ["uuid","uuid"]
-- $44 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $45 = ["uuid","uuid","uuid"]
-- $46 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $47 = [0,1]
-- $48 = "uuid"
-- $49 = ["uuid"]
-- $50 = ["uuid","uuid"]
-- $51 = "2026-03-28T12:00:00.000Z"
-- $52 = "2026-03-29T13:00:00.000Z"
