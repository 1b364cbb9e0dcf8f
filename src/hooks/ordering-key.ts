import sql, { type Sql } from 'sql-template-tag';

/** Most ordering keys of an ordered hook that one claim looks at, and most deliveries that became due last. */
const maxKeys = 500;
const maxLatest = 32;

/** The first open delivery of the next ordering key (the column `lane`). */
const headOf = (condition: Sql): Sql => sql`
  select d.lane, d.id, d.ctid place, d.next_attempt_at, (d.next_attempt_at <= h.at and d.id <> all(h.leased))::integer ready
    from delivery_open d where d.hook_id = h.hook_id and ${condition} order by d.lane, d.seq limit 1`;

/**
 * The first delivery of each ordering key of an ordered hook `h`: what comes after it waits until it is over. The search
 * goes through the keys in order, from where the last claim ended and around to that key again. It ends when it has found
 * as many due deliveries as there are free slots, or has looked at `maxKeys` keys: thousands of keys may wait for their next
 * attempt. A key that it did not reach may just have become due; `latest` finds those by their time. The row with
 * `broken_at` says where the search ended.
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
     where head.nth < ${maxKeys} and head.found < h.free
  ),
  broken as materialized (
    select lane from head where nth = ${maxKeys} or found >= h.free order by nth desc limit 1
  ),
  latest as (
    select d.id, d.ctid place, d.next_attempt_at, d.lane, d.seq from delivery_open d
     where d.hook_id = h.hook_id and d.event = 'record' and d.next_attempt_at <= h.at and exists (select from broken)
     order by d.next_attempt_at desc limit ${maxLatest}
  )
  select id, place, next_attempt_at, null::uuid broken_at from head where ready = 1
  union
  select id, place, next_attempt_at, null from latest d
   where d.lane is not null and d.id <> all(h.leased)
     and not exists (select from delivery_open e where e.hook_id = h.hook_id and e.lane = d.lane and e.seq < d.seq)
  union all
  select null, null, null, lane from broken`;
