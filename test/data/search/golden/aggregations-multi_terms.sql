/* {"size": 0, "aggs": {"a": {"multi_terms": {"terms": [{"field": "data.state"}, {"field": "data.on"}]}}}} */

select t.k0,t.k1,t.n, t.total
from (select g.*, row_number() over (
order by g.n desc,g.k0 collate "C" asc,g.k1 asc,g.k0,g.k1) as place, sum(g.n) over () as total
from (select s.k0,s.k1,count(*) as n
from (select (case when r.product_id = any($1::uuid[]) then r.texts[$2::int] else (case when jsonb_typeof((r.data -> $3::text)) in ('string', 'number', 'boolean') then ((r.data -> $4::text) #>> '{}') end) end) as k0,(case when r.product_id = any($5::uuid[]) then r.numbers[$6::int] else (case ((r.data -> $7::text) #>> '{}') when 'true' then 1::float8 when 'false' then 0::float8 end) end) as k1
from record r
where r.organization_id = $8::uuid and r.device_id = any($9::uuid[]) and r.ts >= $10::timestamptz and r.ts <= $11::timestamptz and (case when r.product_id = any($12::uuid[]) then r.texts[$13::int] else (case when jsonb_typeof((r.data -> $14::text)) in ('string', 'number', 'boolean') then ((r.data -> $15::text) #>> '{}') end) end) is not null and (case when r.product_id = any($16::uuid[]) then r.numbers[$17::int] else (case ((r.data -> $18::text) #>> '{}') when 'true' then 1::float8 when 'false' then 0::float8 end) end) is not null) s
group by s.k0,s.k1) g
where g.n >= $19::int8) t
where t.place <= $20::int8
order by t.place
limit $21::int
-- $1 = ["uuid"]
-- $2 = 1
-- $3 = "state"
-- $4 = "state"
-- $5 = ["uuid"]
-- $6 = 3
-- $7 = "on"
-- $8 = "uuid"
-- $9 = ["uuid","uuid"]
-- $10 = "2000-01-01T00:00:00.000000Z"
-- $11 = "2100-01-01T00:00:00.000000Z"
-- $12 = ["uuid"]
-- $13 = 1
-- $14 = "state"
-- $15 = "state"
-- $16 = ["uuid"]
-- $17 = 3
-- $18 = "on"
-- $19 = 1
-- $20 = 10
-- $21 = 65536

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
