/* {"size": 0, "aggs": {"a": {"value_count": {"field": "data.temperature"}}}} */

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

select coalesce(sum(s.v1), 0)::int8 as n,sum(s.v0) as c0
from (select case when r.slot = $1::int and r.product_id = any($2::uuid[]) then r.n end as v0,case when r.slot = 0 then r.n else 0 end as v1
from ( select u.organization_id, u.device_id, u.product_id, u.day as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_day u
where u.organization_id = $3::uuid and u.product_id = any($4::uuid[]) and u.device_id = any($5::uuid[]) and u.slot = any($6::int[]) and u.day >= $7::timestamptz and u.day < $8::timestamptz and (coalesce(u.product_id, $9::uuid), u.day) not in (select *
from unnest($10::uuid[], $11::timestamptz[]))
union all select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_rollup u
where u.organization_id = $12::uuid and u.product_id = any($13::uuid[]) and u.device_id = any($14::uuid[]) and u.slot = any($15::int[]) and u.hour >= $16::timestamptz and u.hour < $17::timestamptz and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') >= date_bin('1 day', $18::timestamptz, timestamptz '1970-01-01 00:00:00+00') and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') < $19::timestamptz and (coalesce(u.product_id, $20::uuid), u.hour) not in (select *
from unnest($21::uuid[], $22::timestamptz[]))
union all select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_rollup u
where u.organization_id = $23::uuid and u.product_id = any($24::uuid[]) and u.device_id = any($25::uuid[]) and u.slot = any($26::int[]) and u.hour >= $27::timestamptz and u.hour < $28::timestamptz and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') >= date_bin('1 day', $29::timestamptz, timestamptz '1970-01-01 00:00:00+00') and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') < $30::timestamptz and (coalesce(u.product_id, $31::uuid), u.hour) not in (select *
from unnest($32::uuid[], $33::timestamptz[])) and (coalesce(u.product_id, $34::uuid), date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00')) in (select *
from unnest($35::uuid[], $36::timestamptz[]))
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot]
from unnest($37::uuid[], $38::timestamptz[]) y (product_id, hour)
join record x on x.product_id = y.product_id and x.ts >= y.hour and x.ts < y.hour + interval '1 hour'
cross join unnest($39::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $40::uuid and x.product_id = any($41::uuid[]) and x.device_id = any($42::uuid[]) and x.ts >= $43::timestamptz and x.ts < $44::timestamptz) r
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
-- $18 = "2026-11-23T00:00:00.000Z"
-- $19 = "2026-11-23T13:00:00.000Z"
-- $20 = "00000000-0000-0000-0000-000000000000"
-- $21 = ["uuid","uuid","uuid"]
-- $22 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $23 = "uuid"
-- $24 = ["uuid"]
-- $25 = ["uuid","uuid"]
-- $26 = [0,1]
-- $27 = "2026-03-28T00:00:00.000Z"
-- $28 = "2026-03-30T00:00:00.000Z"
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
