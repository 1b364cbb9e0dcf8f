/* {"size": 0, "aggs": {"a": {"avg": {"field": "data.temperature"}}}} */

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

select coalesce(sum(s.v3), 0)::int8 as n,(sum(s.v1) / nullif(sum(s.v0), 0))::float8 as c0
from (select case when r.slot = $1::int and r.product_id = any($2::uuid[]) then r.n end as v0,case when r.slot = $3::int and r.product_id = any($4::uuid[]) then r.sum end as v1,case when r.slot = $5::int and r.product_id = any($6::uuid[]) then r.sum_squares end as v2,case when r.slot = 0 then r.n else 0 end as v3
from ( select u.organization_id, u.device_id, u.product_id, u.day as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_day u
where u.organization_id = $7::uuid and u.product_id = any($8::uuid[]) and u.device_id = any($9::uuid[]) and u.slot = any($10::int[]) and u.day >= $11::timestamptz and u.day < $12::timestamptz and (coalesce(u.product_id, $13::uuid), u.day) not in (select *
from unnest($14::uuid[], $15::timestamptz[]))
union all select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_rollup u
where u.organization_id = $16::uuid and u.product_id = any($17::uuid[]) and u.device_id = any($18::uuid[]) and u.slot = any($19::int[]) and u.hour >= $20::timestamptz and u.hour < $21::timestamptz and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') >= date_bin('1 day', $22::timestamptz, timestamptz '1970-01-01 00:00:00+00') and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') < $23::timestamptz and (coalesce(u.product_id, $24::uuid), u.hour) not in (select *
from unnest($25::uuid[], $26::timestamptz[]))
union all select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_rollup u
where u.organization_id = $27::uuid and u.product_id = any($28::uuid[]) and u.device_id = any($29::uuid[]) and u.slot = any($30::int[]) and u.hour >= $31::timestamptz and u.hour < $32::timestamptz and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') >= date_bin('1 day', $33::timestamptz, timestamptz '1970-01-01 00:00:00+00') and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') < $34::timestamptz and (coalesce(u.product_id, $35::uuid), u.hour) not in (select *
from unnest($36::uuid[], $37::timestamptz[])) and (coalesce(u.product_id, $38::uuid), date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00')) in (select *
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
-- $22 = "2026-11-23T00:00:00.000Z"
-- $23 = "2026-11-23T13:00:00.000Z"
-- $24 = "00000000-0000-0000-0000-000000000000"
-- $25 = ["uuid","uuid","uuid"]
-- $26 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $27 = "uuid"
-- $28 = ["uuid"]
-- $29 = ["uuid","uuid"]
-- $30 = [0,1]
-- $31 = "2026-03-28T00:00:00.000Z"
-- $32 = "2026-03-30T00:00:00.000Z"
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
