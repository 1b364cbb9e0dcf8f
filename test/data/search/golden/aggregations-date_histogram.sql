/* {"size": 0, "aggs": {"a": {"date_histogram": {"field": "ts", "calendar_interval": "day", "time_zone": "Europe/Paris", "min_doc_count": 1}}}} */

select extract(epoch from min(r.ts)) * 1000, extract(epoch from max(r.ts)) * 1000
from record r
where r.organization_id = $1::uuid and r.device_id = any($2::uuid[]) and r.ts >= $3::timestamptz and r.ts <= $4::timestamptz
-- $1 = "uuid"
-- $2 = ["uuid","uuid"]
-- $3 = "2000-01-01T00:00:00.000000Z"
-- $4 = "2100-01-01T00:00:00.000000Z"

select extract(epoch from min(t.hour))::float8 * 1000 as from, extract(epoch from max(t.hour) + interval '1 hour')::float8 * 1000 as until
from record_total t
where t.organization_id = $1::uuid and t.product_id = any($2::uuid[]) and not t.apart and t.hour >= $3::timestamptz and t.hour < $4::timestamptz
-- $1 = "uuid"
-- $2 = ["uuid"]
-- $3 = "2026-03-28T12:00:00.000Z"
-- $4 = "2026-03-29T13:00:00.000Z"

select s.k0,coalesce(sum(s.v0), 0)::int8 as n
from (select width_bucket(r.ts, $1::timestamptz[]) as k0,case when r.slot = 0 then r.n else 0 end as v0
from ( select u.organization_id, u.device_id, u.product_id, u.hour as ts, u.slot, u.n, u.sum, u.min, u.max, u.sum_squares
from record_rollup u
where u.organization_id = $2::uuid and u.product_id = any($3::uuid[]) and u.device_id = any($4::uuid[]) and u.slot = any($5::int[]) and u.hour >= $6::timestamptz and u.hour < $7::timestamptz and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') >= date_bin('1 day', $8::timestamptz, timestamptz '1970-01-01 00:00:00+00') and date_bin('1 day', u.hour, timestamptz '1970-01-01 00:00:00+00') < $9::timestamptz and (coalesce(u.product_id, $10::uuid), u.hour) not in (select *
from unnest($11::uuid[], $12::timestamptz[]))
union all select x.organization_id, x.device_id, x.product_id, x.ts, v.slot, 1::int8, x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot], x.numbers[v.slot] * x.numbers[v.slot]
from unnest($13::uuid[], $14::timestamptz[]) y (product_id, hour)
join record x on x.product_id = y.product_id and x.ts >= y.hour and x.ts < y.hour + interval '1 hour'
cross join unnest($15::int[]) v (slot)
where (v.slot = 0 or x.numbers[v.slot] is not null) and x.organization_id = $16::uuid and x.product_id = any($17::uuid[]) and x.device_id = any($18::uuid[]) and x.ts >= $19::timestamptz and x.ts < $20::timestamptz) r
where true) s
group by s.k0
limit $21::int
-- $1 = ["2026-03-27T23:00:00.000Z","2026-03-28T23:00:00.000Z"]
-- $2 = "uuid"
-- $3 = ["uuid"]
-- $4 = ["uuid","uuid"]
-- $5 = [0]
-- $6 = "2026-03-28T12:00:00.000Z"
-- $7 = "2026-03-29T13:00:00.000Z"
-- $8 = "2026-03-28T12:00:00.000Z"
-- $9 = "2026-03-29T13:00:00.000Z"
-- $10 = "00000000-0000-0000-0000-000000000000"
-- $11 = ["uuid","uuid","uuid"]
-- $12 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $13 = ["uuid","uuid","uuid"]
-- $14 = ["2026-03-28T12:00:00.000Z","2026-03-29T01:00:00.000Z","2026-03-29T12:00:00.000Z"]
-- $15 = [0]
-- $16 = "uuid"
-- $17 = ["uuid"]
-- $18 = ["uuid","uuid"]
-- $19 = "2026-03-28T12:00:00.000Z"
-- $20 = "2026-03-29T13:00:00.000Z"
-- $21 = 65536
