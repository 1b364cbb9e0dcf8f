import sql, { type Sql } from 'sql-template-tag';
import { circuitThreshold } from '#calls/circuit.js';
import { weekMs } from '#common/time.js';
import type { EventName } from './message.js';
import { orderingKeyHeads } from './ordering-key.js';
import type { HookRow } from './target.js';

/** Duration of a lease, in milliseconds. Other processes may take a delivery over afterwards. */
export const deliveryLease = 60_000;

/**
 * Maximum time that a delivery waits while its hook is disabled, in milliseconds. Longer waits end without a call when
 * the hook is enabled.
 */
export const maxDisabledWait = weekMs;

/** A delivery that this process has claimed, until its lease ends. */
export interface Claimed {
  id: string;
  hookId: string;
  organizationId: string;
  claimId: string;
  event: EventName;
  payload: string;
  attemptsMade: number;
  maxAttempts: number;
  /** W3C trace context of the request that stored the delivery. */
  traceparent: string | null;
  /** Time at which the delivery was queued, in milliseconds since 1970. */
  queuedAt: number;
  /** Whether the delivery waited too long for its hook to be enabled. It then ends without a call. */
  expired: boolean;
  /** Whether the hook probably has more deliveries due: all of its slots are in use, or it is ordered. */
  full: boolean;
}

/**
 * A row of a claim. Only the first delivery of each hook carries the hook's columns; in its other rows `url` is null.
 */
export type ClaimedRow = Claimed & {
  /** Maximum number of calls a second of the hook; null without a limit. */
  maxPerSecond: number | null;
} & (HookRow | { url: null });

/** Parameters of a claim. */
export interface ClaimParameters {
  claimId: string;
  /** Maximum number of deliveries. */
  limit: number;
  now: number;
  /** Hooks to poll; absent for all hooks. */
  hookIds?: readonly string[];
}

/** Calls of this process that are free and in flight. The claim uses them so that no organization takes all of them. */
export interface Shares {
  /** Number of further calls that the process may have in flight. */
  free: number;
  /** Number of calls in flight, by organization. */
  underWay: ReadonlyMap<string, number>;
}

/** Columns of a claimed delivery `d` and of its hook `h`, for records and for pings. */
const claimedRow = (claimId: string): Sql => sql`
  d.id, d.hook_id "hookId", d.organization_id "organizationId", ${claimId}::uuid "claimId", coalesce(d.kind, d.event) event, d.payload::text payload,
  d.attempts_made "attemptsMade", d.max_attempts "maxAttempts", d.traceparent, date_part('epoch', d.queued_at) * 1000 "queuedAt",
  h.url, h.basic_user "basicUser", h.basic_pass "basicPass", h.header_name "headerName", h.header_value "headerValue",
  h.signing_secret "signingSecret", h.previous_signing_secret "previousSigningSecret",
  date_part('epoch', h.previous_signing_secret_until) * 1000 "previousSigningSecretUntil",
  h.allow_unverified_ssl_cert "allowUnverified", h.max_per_second "maxPerSecond"`;

/**
 * CTE of the hooks that have open deliveries, each with the due time of its first. It steps from hook to hook through
 * the index.
 */
export const waiting: Sql = sql`
    waiting (hook_id, due) as (
      (select hook_id, next_attempt_at from delivery_open where event = 'record'
        order by hook_id, next_attempt_at limit 1)
      union all
      select n.hook_id, n.next_attempt_at from waiting w cross join lateral (
        select hook_id, next_attempt_at from delivery_open
         where event = 'record' and hook_id > w.hook_id
         order by hook_id, next_attempt_at limit 1) n
    )`;

/** CTE of those of the given hooks that have open deliveries, each with the due time of its first. */
const waitingOf = (hookIds: readonly string[]): Sql => sql`
    waiting (hook_id, due) as (
      select n.hook_id, n.next_attempt_at from unnest(${hookIds}::uuid[]) named (id) cross join lateral (
        select hook_id, next_attempt_at from delivery_open
         where event = 'record' and hook_id = named.id
         order by next_attempt_at limit 1) n
    )`;

/**
 * Claims due record deliveries in one statement. A claim is a lease in a table of its own: the delivery's row is only
 * read, and is written when it is settled.
 * 1. `waiting` steps through the index from hook to hook, so its cost grows with hooks, not with waiting deliveries. It
 *    does visit every delivery that is not committed yet. If hooks are named, it visits only theirs;
 * 2. `ready` keeps hooks that are enabled, as is their organization, whose circuit lets calls through, and that have free slots. A hook whose
 *    circuit is no longer open but that has not succeeded since has one slot: the probe;
 * 3. `held` locks the state rows of these hooks. Every claim raises `claims`. PostgreSQL reads the row again once it is
 *    locked and drops it if the number differs from the one in this statement's snapshot. So the statement sees all
 *    leases of a hook: the cap holds over all processes, and no delivery is leased twice;
 * 4. `picked` takes at most the free slots of each hook, without deliveries that are already leased. Of an ordered hook
 *    it takes only the first delivery of each ordering key, which `walked` finds;
 * 5. `chosen` prefers the organizations, then the hooks, with the fewest calls in flight, so that no backlog delays
 *    another's first delivery. An organization gets at most (free calls - its calls in flight) / 2: however many of its
 *    hooks hang, something remains for others.
 */
export const claimQuery = ({ claimId, limit, now, hookIds, free, underWay }: ClaimParameters & Shares): Sql => {
  const at = new Date(now);
  return sql`
    with recursive ${hookIds ? waitingOf(hookIds) : waiting},
    ready as materialized (
      select s.hook_id, h.organization_id, s.claims, s.resumed_at, h.ordered, h.max_per_second, l.running, l.ids leased,
             least(
               case when s.failures_in_row >= ${circuitThreshold} then 1 else h.concurrency end - l.running,
               case when h.max_per_second is null then ${limit} else floor(t.tokens) end
             )::integer free,
             t.tokens, s.lane_after, ${at}::timestamptz at
        from waiting w
        join hook h on h.id = w.hook_id and not h.disabled
        join account o on o.id = h.organization_id and not o.disabled
        join hook_state s on s.hook_id = h.id
        cross join lateral (
          select count(*) running, coalesce(array_agg(id), '{}') ids from delivery_lease
           where hook_id = h.id and not ping) l
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
    walked as materialized (
      select h.hook_id, h.organization_id, h.running, h.free, h.ordered, h.max_per_second, h.tokens, h.resumed_at, p.*
        from held h cross join lateral (${orderingKeyHeads}) p
       where h.ordered
    ),
    picked as (
      select h.hook_id, h.organization_id, h.running, h.free, h.ordered, h.max_per_second, h.tokens, h.resumed_at, p.*
        from held h cross join lateral (
          select d.id, d.ctid place, d.next_attempt_at from delivery_open d
           where d.hook_id = h.hook_id and d.event = 'record' and d.next_attempt_at <= ${at} and d.id <> all(h.leased)
           order by d.next_attempt_at limit least(h.free, ${limit})) p
       where not h.ordered
      union all
      select hook_id, organization_id, running, free, ordered, max_per_second, tokens, resumed_at, id, place,
             next_attempt_at
        from walked where broken_at is null
    ),
    chosen as materialized (
      select *, count(*) over (partition by hook_id) picked
        from (select p.*, coalesce(u.running, 0) of_organization,
                     row_number() over (partition by p.organization_id order by p.running + nth) turn
                from (select *, row_number() over (partition by hook_id order by next_attempt_at) nth from picked) p
                left join unnest(${[...underWay.keys()]}::uuid[], ${[...underWay.values()]}::integer[])
                  u (organization_id, running) on u.organization_id = p.organization_id
               where nth <= free) p
       where turn <= (${free}::integer - of_organization) / 2
       order by of_organization + turn limit ${limit}
    ),
    leased as (
      insert into delivery_lease (hook_id, id, claim_id, locked_until)
      select hook_id, id, ${claimId}, ${new Date(now + deliveryLease)} from chosen
    ),
    counted as (
      update hook_state s
         set claims = s.claims + 1,
             tokens = coalesce(c.tokens - c.taken, s.tokens),
             tokens_at = case when c.max_per_second is null then s.tokens_at else ${at} end,
             lane_after = coalesce(c.broken_at, s.lane_after)
        from (select hook_id, tokens, max_per_second, count(id) taken, (array_agg(broken_at) filter (where id is null))[1] broken_at
                from (select hook_id, tokens, max_per_second, id, null::uuid broken_at from chosen
                      union all
                      select hook_id, tokens, max_per_second, id, broken_at from walked where broken_at is not null) t
               group by 1, 2, 3) c
       where s.hook_id = c.hook_id
    )
    -- Found again by its ctid, which names the version of the row that this statement's snapshot sees.
    select ${claimedRow(claimId)}, c.ordered or c.picked >= c.free "full",
           c.resumed_at is not null and d.queued_at < c.resumed_at - ${maxDisabledWait} * interval '1 millisecond' "expired"
      from chosen c join delivery_open d on d.ctid = c.place
      left join hook h on h.id = case when c.nth = 1 then c.hook_id end
     order by c.of_organization + c.turn`;
};

/**
 * Claims pings, which ignore cap, circuit, rate and order, and also run on disabled hooks. There is no state row of a
 * hook to lock: the claim postpones the ping, and PostgreSQL shows that to concurrent claims.
 */
export const claimPingsQuery = ({ claimId, limit, now }: ClaimParameters): Sql => {
  const until = new Date(now + deliveryLease);
  return sql`
    with picked as materialized (
      select hook_id, id from delivery_open d
       where event = 'ping' and next_attempt_at <= ${new Date(now)}
         and exists (select from hook h where h.id = d.hook_id)
         and not exists (select from delivery_lease l where l.hook_id = d.hook_id and l.id = d.id)
       order by next_attempt_at limit ${limit} for update of d skip locked
    ),
    leased as (
      insert into delivery_lease (hook_id, id, claim_id, locked_until, ping)
      select hook_id, id, ${claimId}, ${until}, true from picked
    )
    update delivery_open d set next_attempt_at = ${until}
      from picked p join hook h on h.id = p.hook_id
     where d.hook_id = p.hook_id and d.id = p.id
    returning ${claimedRow(claimId)}, false "full", false "expired"`;
};

/**
 * Renews the leases of deliveries in flight and returns the renewed ones. It skips leases that are being settled
 * instead of waiting for them.
 */
export const renewQuery = (held: readonly Claimed[], now: number): Sql => sql`
  with mine as materialized (
    select l.hook_id, l.id
      from unnest(${held.map(({ hookId }) => hookId)}::uuid[], ${held.map(({ id }) => id)}::uuid[],
                  ${held.map(({ claimId }) => claimId)}::uuid[]) r (hook_id, id, claim_id)
      join delivery_lease l on l.hook_id = r.hook_id and l.id = r.id and l.claim_id = r.claim_id
       for update of l skip locked
  )
  update delivery_lease l set locked_until = ${new Date(now + deliveryLease)}
    from mine m where l.hook_id = m.hook_id and l.id = m.id
  returning l.id`;

/** Makes deliveries due again whose lease ended: the process that claimed them is dead or cut off. */
export const recoverQuery = (now: number): Sql => sql`
  with lost as materialized (
    select hook_id, id, ping from delivery_lease where locked_until < ${new Date(now)} limit 10000 for update skip locked
  ),
  due as (
    update delivery_open d set next_attempt_at = ${new Date(now)} from lost l
     where l.ping and d.hook_id = l.hook_id and d.id = l.id
  )
  delete from delivery_lease d using lost l where d.hook_id = l.hook_id and d.id = l.id`;
