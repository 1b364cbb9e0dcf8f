import sql, { type Sql } from 'sql-template-tag';

/** Of an ordered hook, one claim looks at so many lanes at most, and at so many of the deliveries that became due last. */
const mostLanes = 500;
const latestDue = 32;

/** A delivery of an ordered hook's lane, as the walk below goes from one to the next. */
const headOf = (condition: Sql): Sql => sql`
  select d.lane, d.id, d.ctid place, d.next_attempt_at, (d.next_attempt_at <= h.at and d.id <> all(h.leased))::integer ready
    from delivery_open d where d.hook_id = h.hook_id and ${condition} order by d.lane, d.seq limit 1`;

/**
 * The first deliveries of lanes of an ordered hook `h`: what comes after one waits until it is over. The walk goes in a
 * circle, from where the last one broke off, until it has as many that are due as there are slots; but past no more
 * than so many lanes, since thousands of them may wait for their next attempt. Where it broke off, it may have missed a
 * lane that has only just become due; those are found by when. `broken_at`, in a row of its own, says where that was.
 *
 * `h` is a hook's row in the claim (claim.ts): `at`, `free` slots, what is `leased`, and `lane_after`, where to begin.
 */
export const orderingKeyHeads: Sql = sql`
  with recursive head as (
    select n.*, 1 nth, n.ready found from (
      (select n.*, false around from (${headOf(sql`d.lane > h.lane_after`)}) n)
      union all
      (select n.*, true around from (${headOf(sql`d.lane <= h.lane_after`)}) n) limit 1) n
    union all
    select n.*, head.nth + 1, head.found + n.ready from head cross join lateral (
      (select n.*, head.around from (${headOf(sql`d.lane > head.lane and (not head.around or d.lane <= h.lane_after)`)}) n)
      union all
      (select n.*, true around from (${headOf(sql`not head.around and d.lane <= h.lane_after`)}) n) limit 1) n
     where head.nth < ${mostLanes} and head.found < h.free
  ),
  broken as materialized (
    select lane from head where nth = ${mostLanes} or found >= h.free order by nth desc limit 1
  ),
  latest as (
    select d.id, d.ctid place, d.next_attempt_at, d.lane, d.seq from delivery_open d
     where d.hook_id = h.hook_id and d.event = 'record' and d.next_attempt_at <= h.at and exists (select from broken)
     order by d.next_attempt_at desc limit ${latestDue}
  )
  select id, place, next_attempt_at, null::uuid broken_at from head where ready = 1
  union
  select id, place, next_attempt_at, null from latest d
   where d.lane is not null and d.id <> all(h.leased)
     and not exists (select from delivery_open e where e.hook_id = h.hook_id and e.lane = d.lane and e.seq < d.seq)
  union all
  select null, null, null, lane from broken`;
