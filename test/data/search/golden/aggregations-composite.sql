/* {"size": 0, "aggs": {"a": {"composite": {"size": 2, "sources": [{"state": {"terms": {"field": "data.state"}}}, {"day": {"date_histogram": {"field": "ts", "calendar_interval": "day"}}}]}}}} */

select t.k0,t.k1,t.n, t.total
from (select g.*, row_number() over (
order by g.k0 collate "C" asc nulls first,g.k1 asc nulls first,g.k0,g.k1) as place, sum(g.n) over () as total
from (select s.k0,(extract(epoch from s.k1) * 1000)::int8 as k1,count(*) as n
from (select (case when r.product_id = any($1::uuid[]) then r.texts[$2::int] else (case when jsonb_typeof((r.data -> $3::text)) in ('string', 'number', 'boolean') then ((r.data -> $4::text) #>> '{}') end) end) as k0,date_bin(make_interval(secs => $5::float8), r.ts, $6::timestamptz) as k1
from record r
where r.organization_id = $7::uuid and r.device_id = any($8::uuid[]) and r.ts >= $9::timestamptz and r.ts <= $10::timestamptz and (case when r.product_id = any($11::uuid[]) then r.texts[$12::int] else (case when jsonb_typeof((r.data -> $13::text)) in ('string', 'number', 'boolean') then ((r.data -> $14::text) #>> '{}') end) end) is not null) s
group by s.k0,s.k1) g
where g.n >= $15::int8) t
where t.place <= $16::int8
order by t.place
limit $17::int
-- $1 = ["uuid"]
-- $2 = 1
-- $3 = "state"
-- $4 = "state"
-- $5 = 86400
-- $6 = "1970-01-01T00:00:00.000Z"
-- $7 = "uuid"
-- $8 = ["uuid","uuid"]
-- $9 = "2000-01-01T00:00:00.000000Z"
-- $10 = "2100-01-01T00:00:00.000000Z"
-- $11 = ["uuid"]
-- $12 = 1
-- $13 = "state"
-- $14 = "state"
-- $15 = 1
-- $16 = 2
-- $17 = 65536

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
