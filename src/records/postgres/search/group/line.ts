import sql, { empty, type Sql } from 'sql-template-tag';
import { DeviceCombination, GroupSplit } from '#entities/group-series.js';
import { maxGroupLines } from '#records/answer/group-lines.js';
import type { GroupPlan } from '#records/answer/group-plan.js';
import type { GroupCall, GroupMembers } from '#records/group-series.js';
import { isSited } from './stay.js';

/** Common table expressions: the devices by group (`member`), and each device once (`device_of_group`). */
export const memberTables = ({ from, group }: GroupMembers): Sql => sql`
  member as materialized (select ${group} as grp, d.id as device_id, d.product_id, d.tags from ${from}),
  device_of_group as materialized (select distinct device_id, product_id from member)`;

/** Key of a member `m`. */
const keys: Readonly<Record<GroupSplit, Sql>> = {
  none: sql`null::text`,
  product: sql`m.product_id::text`,
  tag: sql`t.tag`,
  device: sql`m.device_id::text`,
  site: sql`w.part`,
};

/** Selects the group, key and unit of each device. */
export const keyed = (call: GroupCall): Sql => {
  const tags = call.split === GroupSplit.tag ? sql` left join lateral unnest(m.tags) t (tag) on true` : empty;
  return isSited(call)
    ? sql`
    select distinct m.grp, ${keys[call.split]} as key, w.unit from member m join stay w on w.grp = m.grp and w.device_id = m.device_id${tags}`
    : sql`select m.grp, ${keys[call.split]} as key, m.device_id as unit from member m${tags}`;
};

/**
 * Common table expression `line`: for each unit and line of it, the group, the place of the line by its number of
 * records, and its key.
 */
const lineTables = (call: GroupCall, { first }: GroupPlan): Sql =>
  call.split === GroupSplit.none
    ? sql`line as materialized (select k.grp, 1 as place, null::text as key, k.unit from (${keyed(call)}) k)`
    : sql`
  keyed as materialized (${keyed(call)}),
  place as (
    select grp, key, row_number() over (partition by grp order by n desc, key) as place
      from (select grp, key, coalesce(sum(t.n), 0) as n
              from keyed left join (select unit, sum(n) as n from partial where b >= ${first}::int group by 1) t using (unit)
             group by 1, 2) p),
  line as materialized (
    select distinct k.grp, least(p.place, ${maxGroupLines + 1})::int as place, case when p.place <= ${maxGroupLines} then k.key end as key, k.unit
      from keyed k join place p on p.grp = k.grp and p.key is not distinct from k.key)`;

/** Common table expression `present`: how many devices belong to a line in a bucket, if that changes. */
const presentTable = (call: GroupCall): Sql =>
  isSited(call)
    ? sql`
  present as (
    select l.grp, l.place, k.b, count(distinct l.unit)::int as expected
      from line l join stay w using (unit) join bucket k on w.started_at < k.high and w.ended_at > k.low group by 1, 2, 3),`
    : empty;

const combinations: Readonly<Record<DeviceCombination, Sql>> = {
  sum: sql`sum(p.v)`,
  avg: sql`avg(p.v)`,
  min: sql`min(p.v)`,
  max: sql`max(p.v)`,
  count: sql`count(*)::float8`,
  p50: sql`percentile_cont(0.5) within group (order by p.v)`,
  p95: sql`percentile_cont(0.95) within group (order by p.v)`,
  spread: sql`avg(p.v)`,
};

/** Statement parts after `partial`: combines the numbers of the devices, as rows of {@link GroupRow}. */
export const lineRows = (call: GroupCall, plan: GroupPlan, limit: number): Sql => {
  const { combine, minDevices } = call;
  return sql`
  , ${lineTables(call, plan)},${presentTable(call)}
  size as (select grp, place, key, count(*)::int as expected from line group by 1, 2, 3),
  point as (
    select l.grp, l.place, p.b, ${combinations[combine]} as value, count(*)::int as devices,
           count(*) filter (where p.filled)::int as filled, count(*) filter (where p.bridged)::int as bridged${
             combine === DeviceCombination.spread ? sql`, min(p.v) as lowest, max(p.v) as highest` : empty
           }
      from line l join partial p using (unit) where p.b >= ${plan.first}::int
     group by 1, 2, 3 having count(*) >= ${minDevices})
  select s.grp, s.place, s.key, ${isSited(call) ? sql`coalesce(e.expected, 0)` : sql`s.expected`}, p.b, p.value, p.devices, p.filled, p.bridged${
    combine === DeviceCombination.spread ? sql`, p.lowest, p.highest` : empty
  }
    from size s left join point p on p.grp = s.grp and p.place = s.place${
      isSited(call) ? sql` left join present e on e.grp = s.grp and e.place = s.place and e.b = p.b` : empty
    }
   order by s.grp, s.place, p.b limit ${limit}`;
};
