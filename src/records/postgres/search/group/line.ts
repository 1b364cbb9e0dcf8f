import sql, { empty, type Sql } from 'sql-template-tag';
import { DeviceCombination, GroupSplit } from '#entities/group-series.js';
import type { GroupPlan } from '#records/answer/group-plan.js';
import type { GroupCall, GroupMembers } from '#records/group-series.js';

/** Maximum number of lines of a group that is split, apart from that of the others. */
const maxLines = 100;

/** Common table expressions: the devices by group (`member`), and each device once (`device_of_group`). */
export const memberTables = ({ from, group }: GroupMembers): Sql => sql`
  member as materialized (select ${group} as grp, d.id as device_id, d.product_id, d.tags from ${from}),
  device_of_group as materialized (select distinct device_id, product_id from member)`;

/** Rows of the devices of `member m` by key. */
const keyedBy: Readonly<Record<GroupSplit, Sql>> = {
  none: sql`select grp, null::text as key, device_id from member`,
  product: sql`select grp, product_id::text as key, device_id from member`,
  tag: sql`select grp, t.tag as key, device_id from member left join lateral unnest(tags) t (tag) on true`,
  device: sql`select grp, device_id::text as key, device_id from member`,
};

/**
 * Common table expression `line`: for each device and line of it, the group, the place of the line by its number of
 * records, and its key.
 */
const lineTables = (split: GroupSplit, { first }: GroupPlan): Sql =>
  split === GroupSplit.none
    ? sql`line as (select grp, 1 as place, null::text as key, device_id from member)`
    : sql`
  keyed as materialized (${keyedBy[split]}),
  place as (
    select grp, key, row_number() over (partition by grp order by n desc, key) as place
      from (select grp, key, coalesce(sum(t.n), 0) as n
              from keyed left join (select device_id, sum(n) as n from partial where b >= ${first}::int group by 1) t using (device_id)
             group by 1, 2) p),
  line as materialized (
    select distinct k.grp, least(p.place, ${maxLines + 1})::int as place, case when p.place <= ${maxLines} then k.key end as key, k.device_id
      from keyed k join place p on p.grp = k.grp and p.key is not distinct from k.key)`;

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

/** A point, or a line without points: then `b` is null. Lines are numbered in `place`. */
export type GroupRow = [
  group: string,
  place: number,
  key: string | null,
  expected: number,
  b: number | null,
  value: number,
  devices: number,
  filled: number,
  bridged: number,
  lowest: number,
  highest: number,
];

/** Statement parts after `partial`: combines the numbers of the devices, as rows of {@link GroupRow}. */
export const lineRows = ({ split, combine, minDevices }: GroupCall, plan: GroupPlan, limit: number): Sql => sql`
  , ${lineTables(split, plan)},
  size as (select grp, place, key, count(*)::int as expected from line group by 1, 2, 3),
  point as (
    select l.grp, l.place, p.b, ${combinations[combine]} as value, count(*)::int as devices,
           count(*) filter (where p.filled)::int as filled, count(*) filter (where p.bridged)::int as bridged${
             combine === DeviceCombination.spread ? sql`, min(p.v) as lowest, max(p.v) as highest` : empty
           }
      from line l join partial p using (device_id) where p.b >= ${plan.first}::int
     group by 1, 2, 3 having count(*) >= ${minDevices})
  select s.grp, s.place, s.key, s.expected, p.b, p.value, p.devices, p.filled, p.bridged${
    combine === DeviceCombination.spread ? sql`, p.lowest, p.highest` : empty
  }
    from size s left join point p on p.grp = s.grp and p.place = s.place
   order by s.grp, s.place, p.b limit ${limit}`;
