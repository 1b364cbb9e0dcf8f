/* {"size": 0, "aggs": {"a": {"date_histogram": {"field": "ts", "calendar_interval": "day"}, "aggs": {"m": {"avg": {"field": "data.temperature"}}}}, "b": {"percentiles_bucket": {"buckets_path": "a>m", "percents": [50]}}}} */

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

select (extract(epoch from s.k0) * 1000)::int8 as k0,coalesce(sum(s.v3), 0)::int8 as n,(sum(s.v1) / nullif(sum(s.v0), 0))::float8 as c0
from (select date_bin(make_interval(secs => $1::float8), r.ts, $2::timestamptz) as k0,case when r.slot = $3::int and r.product_id = any($4::uuid[]) then r.n end as v0,case when r.slot = $5::int and r.product_id = any($6::uuid[]) then r.sum end as v1,case when r.slot = $7::int and r.product_id = any($8::uuid[]) then r.sum_squares end as v2,case when r.slot = 0 then r.n else 0 end as v3
from ( select u.organization_id, u.device_id, u.product_id, u.day as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_day u
where u.organization_id = $9::uuid and u.product_id = any($10::uuid[]) and u.device_id = any($11::uuid[]) and u.slot = any($12::int[]) and u.day >= $13::timestamptz and u.day < $14::timestamptz and (coalesce(u.product_id, $15::uuid), u.day) not in (select *
from unnest($16::uuid[], $17::timestamptz[]))
union all select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_rollup u
where u.organization_id = $18::uuid and u.product_id = any($19::uuid[]) and u.device_id = any($20::uuid[]) and u.slot = any($21::int[]) and u.hour >= $22::timestamptz and u.hour < $23::timestamptz and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') >= date_bin('1 day', $24::timestamptz, timestamptz '1970-01-01 00:00:00+00') and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') < $25::timestamptz and (coalesce(u.product_id, $26::uuid), u.hour) not in (select *
from unnest($27::uuid[], $28::timestamptz[]))
union all select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_rollup u
where u.organization_id = $29::uuid and u.product_id = any($30::uuid[]) and u.device_id = any($31::uuid[]) and u.slot = any($32::int[]) and u.hour >= $33::timestamptz and u.hour < $34::timestamptz and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') >= date_bin('1 day', $35::timestamptz, timestamptz '1970-01-01 00:00:00+00') and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') < $36::timestamptz and (coalesce(u.product_id, $37::uuid), u.hour) not in (select *
from unnest($38::uuid[], $39::timestamptz[])) and (coalesce(u.product_id, $40::uuid), date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00')) in (select *
from unnest($41::uuid[], $42::timestamptz[]))
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot]
from unnest($43::uuid[], $44::timestamptz[]) y (product_id, hour)
join record x on x.product_id = y.product_id and x.ts >= y.hour and x.ts < y.hour + interval '1 hour'
cross join unnest($45::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $46::uuid and x.product_id = any($47::uuid[]) and x.device_id = any($48::uuid[]) and x.ts >= $49::timestamptz and x.ts < $50::timestamptz) r
where true) s
group by s.k0
limit $51::int
-- $1 = 86400
-- $2 = "1970-01-01T00:00:00.000Z"
-- $3 = 1
-- $4 = ["uuid"]
-- $5 = 1
-- $6 = ["uuid"]
-- $7 = 1
-- $8 = ["uuid"]
-- $9 = "uuid"
-- $10 = ["uuid"]
-- $11 = ["uuid","uuid"]
-- $12 = [0,1]
-- $13 = "2000-01-01T00:00:00.000Z"
-- $14 = "2026-11-23T00:00:00.000Z"
-- $15 = "00000000-0000-0000-0000-000000000000"
-- $16 = ["uuid","uuid"]
-- $17 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $18 = "uuid"
-- $19 = ["uuid"]
-- $20 = ["uuid","uuid"]
-- $21 = [0,1]
-- $22 = "2026-11-23T00:00:00.000Z"
-- $23 = "2026-11-23T13:00:00.000Z"
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
-- $35 = "2026-03-28T00:00:00.000Z"
-- $36 = "2026-03-30T00:00:00.000Z"
-- $37 = "00000000-0000-0000-0000-000000000000"
-- $38 = ["uuid","uuid","uuid"]
-- $39 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $40 = "00000000-0000-0000-0000-000000000000"
-- $41 = ["uuid","uuid"]
-- $42 = ["2026-03-28T00:00:00.000Z","2026-03-29T00:00:00.000Z"]
-- $43 = ["uuid","uuid","uuid"]
-- $44 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $45 = [0,1]
-- $46 = "uuid"
-- $47 = ["uuid"]
-- $48 = ["uuid","uuid"]
-- $49 = "2026-03-28T12:00:00.000Z"
-- $50 = "2026-03-29T13:00:00.000Z"
-- $51 = 65536
