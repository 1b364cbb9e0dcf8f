import sql, { empty, type Sql } from 'sql-template-tag';
import { GroupSplit } from '#entities/group-series.js';
import type { GroupCall } from '#records/group-series.js';

/** Whether devices count where they were at the time of their records. */
export const isSited = ({ members, split }: GroupCall): boolean => members.isSite === true || split === GroupSplit.site;

/**
 * Common table expression `stay`: the times for which each device belongs to a group and, if the group is split by site,
 * to a part of it. Numbers are computed for each `unit`: a device in a part.
 */
export const stayTable = (call: GroupCall): Sql => {
  if (!isSited(call)) return empty;
  const part = (key: Sql) => (call.split === GroupSplit.site ? key : sql`null::text`);
  const stays = call.members.isSite
    ? sql`
      select m.grp, ${part(sql`coalesce(b.path[array_position(b.path, m.grp::uuid) + 1], b.id)::text`)} as part, m.device_id, s.started_at, coalesce(s.ended_at, 'infinity') as ended_at
        from (select distinct grp, device_id from member) m join device_site s using (device_id) join site b on b.id = s.site_id and b.path @> array[m.grp::uuid]`
    : sql`
      select m.grp, b.path[1]::text, m.device_id, s.started_at, coalesce(s.ended_at, 'infinity')
        from (select distinct grp, device_id from member) m join device_site s using (device_id) join site b on b.id = s.site_id
      union all
      select m.grp, null, m.device_id, g.started_at, g.ended_at
        from (select distinct grp, device_id from member) m cross join lateral (
          select coalesce(lag(s.ended_at) over (order by s.started_at), '-infinity') as started_at, s.started_at as ended_at
            from device_site s where s.device_id = m.device_id
          union all
          select coalesce(max(coalesce(s.ended_at, 'infinity')), '-infinity'), 'infinity' from device_site s where s.device_id = m.device_id) g
       where g.started_at < g.ended_at`;
  return sql`,
  stay as materialized (
    select dense_rank() over (order by grp, part, device_id) as unit, grp, part, device_id, started_at, ended_at
      from (${stays}) s (grp, part, device_id, started_at, ended_at))`;
};

/** Expressions that number the units of a row `p` with a device and a time `ts`. */
export const unitOf = (call: GroupCall): { unit: Sql; join: Sql } =>
  isSited(call)
    ? {
        unit: sql`w.unit`,
        join: sql` join stay w on w.device_id = p.device_id and p.ts >= w.started_at and p.ts < w.ended_at`,
      }
    : { unit: sql`p.device_id`, join: empty };
