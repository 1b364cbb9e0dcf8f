/* {"size": 0, "aggs": {"a": {"rare_terms": {"field": "data.state", "max_doc_count": 1}}}} */

select t.k0,t.n, t.total
from (select g.*, row_number() over (
order by g.n asc,g.k0 collate "C" asc,g.k0) as place, sum(g.n) over () as total
from (select s.k0,count(*) as n
from (select (case when r.product_id = any($1::uuid[]) then r.texts[$2::int] else (case when jsonb_typeof((r.data -> $3::text)) in ('string', 'number', 'boolean') then ((r.data -> $4::text) #>> '{}') end) end) as k0
from record r
where r.organization_id = $5::uuid and r.device_id = any($6::uuid[]) and r.ts >= $7::timestamptz and r.ts <= $8::timestamptz and (case when r.product_id = any($9::uuid[]) then r.texts[$10::int] else (case when jsonb_typeof((r.data -> $11::text)) in ('string', 'number', 'boolean') then ((r.data -> $12::text) #>> '{}') end) end) is not null) s
group by s.k0) g
where g.n >= $13::int8 and g.n <= $14::int8) t
where t.place <= $15::int8
order by t.place
limit $16::int
-- $1 = ["uuid"]
-- $2 = 1
-- $3 = "state"
-- $4 = "state"
-- $5 = "uuid"
-- $6 = ["uuid","uuid"]
-- $7 = "2000-01-01T00:00:00.000000Z"
-- $8 = "2100-01-01T00:00:00.000000Z"
-- $9 = ["uuid"]
-- $10 = 1
-- $11 = "state"
-- $12 = "state"
-- $13 = 1
-- $14 = 1
-- $15 = 65535
-- $16 = 65536

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
