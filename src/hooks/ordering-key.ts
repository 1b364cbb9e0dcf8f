import sql, { type Sql } from 'sql-template-tag';

/**
 * Maximum numbers of ordering keys, and of the deliveries that became due most recently, that one claim reads of an
 * ordered hook.
 */
const maxKeys = 500;
const maxLatest = 32;

/** Selects the first open delivery of the next ordering key (the column `lane`). */
const headOf = (condition: Sql): Sql => sql`
  select d.lane, d.id, d.ctid place, d.next_attempt_at, (d.next_attempt_at <= h.at and d.id <> all(h.leased))::integer ready
    from delivery_open d where d.hook_id = h.hook_id and ${condition} order by d.lane, d.seq limit 1`;

/**
 * Subquery of the first delivery of each ordering key of an ordered hook. Later deliveries of a key wait until its
 * first is over.
 *
 * The search goes through the keys in order, starts where the last claim ended, and goes around to that key again. It
 * ends when it has found as many due deliveries as there are free slots, or has read `maxKeys` keys: thousands of keys
 * may wait for their next attempt. A key that the search did not reach may just have become due; `latest` finds those
 * by their time. The row with `broken_at` holds the key at which the search ended.
 *
 * `h` is the hook's row in the claim (claim.ts): `at`, the number of `free` slots, the `leased` deliveries, and
 * `lane_after`, the key to start after.
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
