import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { EventName } from './message.js';
import type { HookRow } from './target.js';

/** How long a claim holds before others may take it over, in milliseconds. */
export const lease = 60_000;

/** After this many failed calls in a row a hook's circuit opens. */
export const circuitThreshold = 10;

/** What waited longer than this while its hook was disabled ends without a call when the hook is enabled. */
const longestWait = 7 * 24 * 3600_000;

/** A delivery that is this process's to make, until its lease runs out. */
export interface Claimed extends HookRow {
  id: string;
  claimId: string;
  event: EventName;
  payload: string;
  attemptsMade: number;
  maxAttempts: number;
  /** When it began to wait, in milliseconds since 1970. */
  queuedAt: number;
  /** Whether it waited too long for its hook to be enabled, and ends without a call. */
  expired: boolean;
  /** Calls a second that its hook allows, where that is limited. */
  maxPerSecond: number | null;
  /** Whether more of its hook probably waits: it has as many running as it may, or is ordered. */
  full: boolean;
}

/** Whose and how much to claim. */
export interface Claim {
  claimId: string;
  /** At most this many. */
  limit: number;
  now: number;
}

/** Columns of a claimed row; the same for records and pings. */
const claimedRow = (full: Sql) => sql`
  d.id, d.hook_id "hookId", d.claim_id "claimId", d.event, d.payload::text payload,
  d.attempts_made "attemptsMade", d.max_attempts "maxAttempts", (extract(epoch from d.queued_at) * 1000)::double precision "queuedAt",
  h.url, h.basic_user "basicUser", h.basic_pass "basicPass", h.header_name "headerName", h.header_value "headerValue",
  h.signing_secret "signingSecret", h.previous_signing_secret "previousSigningSecret",
  (extract(epoch from h.previous_signing_secret_until) * 1000)::double precision "previousSigningSecretUntil",
  h.allow_unverified_ssl_cert "allowUnverified", h.max_per_second "maxPerSecond",
  ${full}`;

/** The first delivery of each lane of an ordered hook `h` that is not over: what comes after it waits. */
const laneHeads = sql`
  with recursive head (lane, id) as (
    (select d.lane, d.id from delivery d
      where not d.done and d.hook_id = h.hook_id and d.lane is not null order by d.lane, d.seq limit 1)
    union all
    select n.lane, n.id from head cross join lateral (
      select d.lane, d.id from delivery d
       where not d.done and d.hook_id = h.hook_id and d.lane > head.lane order by d.lane, d.seq limit 1) n
  )`;

/**
 * Claims record deliveries that are due, in one statement:
 *
 * 1. `waiting` steps through the index from hook to hook, so it costs by hooks, not by deliveries that wait;
 * 2. `ready` leaves hooks that are enabled, whose circuit lets something through, and that have free slots. A hook
 *    whose circuit is no longer open but that has not succeeded since has one slot: the probe;
 * 3. `held` locks their state rows. Whoever claims raises `claims`; PostgreSQL looks at the row again once it is locked
 *    and drops it where the number is no longer the one this statement's snapshot saw. So the count of running
 *    deliveries is never stale, and the cap holds over all processes;
 * 4. `picked` takes at most the free slots of each hook (of an ordered one only the first of each lane), and `chosen` the ones whose hooks have least in flight first,
 *    so that no hook's backlog stands before another's first delivery.
 */
export const claimQuery = ({ claimId, limit, now }: Claim): Sql => {
  const at = new Date(now);
  return sql`
    with recursive waiting (hook_id, due) as (
      (select hook_id, next_attempt_at from delivery where not done and state = 'pending' and event = 'record'
        order by hook_id, next_attempt_at limit 1)
      union all
      select n.hook_id, n.next_attempt_at from waiting w cross join lateral (
        select hook_id, next_attempt_at from delivery
         where not done and state = 'pending' and event = 'record' and hook_id > w.hook_id
         order by hook_id, next_attempt_at limit 1) n
    ),
    ready as materialized (
      select s.hook_id, s.claims, h.ordered, h.max_per_second, b.running,
             least(
               case when s.failures_in_row >= ${circuitThreshold} then 1 else h.concurrency end - b.running,
               case when h.max_per_second is null then ${limit} else floor(t.tokens) end
             )::integer free,
             t.tokens
        from waiting w
        join hook h on h.id = w.hook_id and not h.disabled
        join hook_state s on s.hook_id = h.id
        cross join lateral (
          select count(*) running from delivery r
           where not r.done and r.hook_id = h.id and r.state = 'running' and r.event = 'record') b
        cross join lateral (
          -- A bucket that holds a tenth of a second's calls, one at least, and fills as time goes by.
          select case when h.max_per_second is not null then least(
            greatest(1, h.max_per_second / 10),
            case when s.tokens_at is not null then s.tokens + h.max_per_second * greatest(0,
              extract(epoch from ${at}::timestamptz - s.tokens_at)::double precision) end
          ) end tokens) t
       where w.due <= ${at} and (s.circuit_until is null or s.circuit_until <= ${at})
    ),
    held as materialized (
      select r.* from hook_state s join ready r on r.hook_id = s.hook_id and r.claims = s.claims
       where r.free > 0
         for update of s skip locked
    ),
    picked as (
      select h.hook_id, h.running, h.free, p.id, p.next_attempt_at
        from held h cross join lateral (
          select d.id, d.next_attempt_at from delivery d
           where not d.done and d.hook_id = h.hook_id and d.state = 'pending' and d.event = 'record'
             and d.next_attempt_at <= ${at}
           order by d.next_attempt_at limit least(h.free, ${limit}) for update skip locked) p
       where not h.ordered
      union all
      select h.hook_id, h.running, h.free, p.id, p.next_attempt_at
        from held h cross join lateral (
          ${laneHeads}
          select d.id, d.next_attempt_at from head join delivery d on d.hook_id = h.hook_id and d.id = head.id
           where not d.done and d.state = 'pending' and d.next_attempt_at <= ${at}
           order by d.next_attempt_at limit least(h.free, ${limit}) for update of d skip locked) p
       where h.ordered
    ),
    chosen as materialized (
      select hook_id, id, free, count(*) over (partition by hook_id) picked
        from (select *, running + row_number() over (partition by hook_id order by next_attempt_at) turn from picked) p
       order by turn limit ${limit}
    ),
    counted as (
      update hook_state s
         set claims = s.claims + 1,
             tokens = coalesce(h.tokens - c.taken, s.tokens),
             tokens_at = case when h.max_per_second is null then s.tokens_at else ${at} end
        from (select hook_id, count(*) taken from chosen group by hook_id) c join held h on h.hook_id = c.hook_id
       where s.hook_id = c.hook_id
    )
    update delivery d set state = 'running', claim_id = ${claimId}, locked_until = ${new Date(now + lease)}
      from chosen c join hook h on h.id = c.hook_id join hook_state s on s.hook_id = c.hook_id
     where not d.done and d.hook_id = c.hook_id and d.id = c.id and d.state = 'pending'
    returning ${claimedRow(sql`
      h.ordered or c.picked >= c.free "full",
      s.resumed_at is not null and d.queued_at < s.resumed_at - ${longestWait} * interval '1 millisecond' "expired"`)}`;
};

/** Claims pings: outside cap, circuit, rate and order, and of disabled hooks too. */
export const claimPingsQuery = ({ claimId, limit, now }: Claim): Sql => sql`
  with picked as materialized (
    select hook_id, id from delivery
     where not done and state = 'pending' and event = 'ping' and next_attempt_at <= ${new Date(now)}
     order by next_attempt_at limit ${limit} for update skip locked
  )
  update delivery d set state = 'running', claim_id = ${claimId}, locked_until = ${new Date(now + lease)}
    from picked p join hook h on h.id = p.hook_id
   where not d.done and d.hook_id = p.hook_id and d.id = p.id and d.state = 'pending'
  returning ${claimedRow(sql`false "full", false "expired"`)}`;

/** Holds on to what is still in flight. */
export const renewQuery = (held: readonly Claimed[], now: number): Sql => sql`
  update delivery d set locked_until = ${new Date(now + lease)}
    from unnest(${held.map(({ hookId }) => hookId)}::uuid[], ${held.map(({ id }) => id)}::uuid[],
                ${held.map(({ claimId }) => claimId)}::uuid[]) r (hook_id, id, claim_id)
   where not d.done and d.hook_id = r.hook_id and d.id = r.id and d.claim_id = r.claim_id and d.state = 'running'`;

/** Makes due again what others claimed and did not settle within their lease: their process is dead, or cut off. */
export const recoverQuery = (now: number): Sql => sql`
  with lost as materialized (
    select hook_id, id from delivery where not done and state = 'running' and locked_until < ${new Date(now)}
     limit 10000 for update skip locked
  )
  update delivery d set state = 'pending', claim_id = null, locked_until = null, next_attempt_at = ${new Date(now)}
    from lost l
   where not d.done and d.hook_id = l.hook_id and d.id = l.id and d.state = 'running'`;

/** Runs a query under a name, so that each connection plans it once. */
export const prepared = <Row extends pg.QueryResultRow>(
  pool: Pick<pg.Pool, 'query'>,
  name: string,
  { text, values }: Sql,
): Promise<pg.QueryResult<Row>> => pool.query<Row>({ name, text, values });
