import sql, { type Sql } from 'sql-template-tag';
import { circuitThreshold, circuitTime } from '#calls/circuit.js';
import { dayMs } from '#common/time.js';
import { booleans, jsons, texts, times, uuids } from '#database/binary.js';
import type { Claimed } from './claim.js';

/** Time with nothing but failures after which a hook is disabled, in milliseconds. */
const maxFailingTime = 5 * dayMs;

/** Outcome of a claimed delivery. */
export interface Result {
  delivery: Claimed;
  state: 'pending' | 'succeeded' | 'failed';
  /** Wait before the next attempt of a pending delivery, in milliseconds. */
  wait: number;
  /** The attempt; absent if no call was made. */
  attempt?: AttemptTexts;
  /** Duration of the call in milliseconds, and its end in milliseconds since 1970. */
  took: number;
  answeredAt: number;
  /** Effect of the call on the hook's health; absent if the fault was on this service's side. */
  health?: 'success' | 'failure' | 'gone';
}

/** An attempt as it is stored: JSON texts. */
export interface AttemptTexts {
  request: string | null;
  response: string | null;
  error: string | null;
  truncated: boolean;
  /** `success`, `failure` or the code of the fault. */
  outcome: string;
  /** Line of the attempt in the ledger. */
  line: string;
}

/**
 * Settles a batch in one statement, guarded by claim: it ends the leases that this process still holds, and leaves
 * alone deliveries that another process has taken over. The same statement updates the health of hooks; a hook that is
 * healthy and stays healthy costs nothing.
 */
export const settleQuery = (results: readonly Result[], now: number): Sql => {
  const at = new Date(now);
  const health = healthOf(results);
  const column = <T>(of: (result: Result) => T) => results.map(of);
  // After a step back of the clock, the answer's time lies far ahead.
  const due = ({ answeredAt, wait }: Result) => Math.min(answeredAt, now) + wait;
  return sql`
    with result as (
      select * from unnest(
        ${uuids(column(({ delivery }) => delivery.hookId))}::uuid[],
        ${uuids(column(({ delivery }) => delivery.id))}::uuid[],
        ${uuids(column(({ delivery }) => delivery.claimId))}::uuid[],
        ${texts(column(({ state }) => state))}::text[],
        ${times(column(due))}::timestamptz[],
        ${texts(column(({ attempt }) => attempt?.line))}::text[],
        ${jsons(column(({ attempt }) => attempt?.request))}::json[],
        ${jsons(column(({ attempt }) => attempt?.response))}::json[],
        ${jsons(column(({ attempt }) => attempt?.error))}::json[],
        ${booleans(column(({ attempt }) => attempt?.truncated ?? false))}::boolean[]
      ) r (hook_id, id, claim_id, state, next_attempt_at, line, request, response, error, truncated)
    ),
    mine as materialized (
      delete from delivery_lease l using result r
       where l.hook_id = r.hook_id and l.id = r.id and l.claim_id = r.claim_id
      returning r.*
    ),
    health as (
      select * from unnest(
        ${health.map(({ hookId }) => hookId)}::uuid[],
        ${health.map(({ succeeded }) => succeeded)}::boolean[],
        ${health.map(({ failures }) => failures)}::integer[],
        ${health.map(({ gone }) => gone)}::boolean[]
      ) h (hook_id, succeeded, failures, gone)
    ),
    -- Locked in one order by everyone, so that two settlements never wait for each other.
    patient as materialized (
      select s.hook_id, h.succeeded, h.gone,
             h.failures + case when h.succeeded then 0 else s.failures_in_row end failures,
             case when h.failures = 0 then case when not h.succeeded then s.failing_since end
                  when h.succeeded then ${at}::timestamptz
                  else coalesce(s.failing_since, ${at}::timestamptz) end failing_since,
             case when h.succeeded then 0 else s.circuit_openings end openings,
             case when h.succeeded then null else s.circuit_until end circuit_until,
             h.failures > 0 failed
        from hook_state s join health h on h.hook_id = s.hook_id
       where h.failures > 0 or s.failures_in_row > 0 or h.gone
       order by s.hook_id for update of s
    ),
    diagnosed as (
      update hook_state s
         set failures_in_row = p.failures, failing_since = p.failing_since,
             last_failure_at = case when p.failed then ${at} else s.last_failure_at end,
             circuit_openings = p.openings + o.opens,
             circuit_until = case when o.opens = 1
               then ${at}::timestamptz + ${circuitTime(sql`p.openings`)}
               else p.circuit_until end
        from patient p cross join lateral (
          -- Calls that were in flight when it opened do not open it further.
          select (p.failures >= ${circuitThreshold} and p.failed
                  and (p.circuit_until is null or p.circuit_until <= ${at}))::integer opens) o
       where s.hook_id = p.hook_id
    ),
    disabled as (
      update hook h
         set disabled = true, disabled_at = ${at},
             updated_at = greatest(${at}, h.updated_at + interval '1 ms'),
             disabled_reason = case when p.gone then 'gone' else 'failing' end
        from patient p
       where h.id = p.hook_id and not h.disabled
         and (p.gone or p.failing_since <= ${new Date(now - maxFailingTime)})
      returning h.id
    )
    update delivery d
       set state = r.state, done = r.state <> 'pending', next_attempt_at = r.next_attempt_at,
           attempts_made = d.attempts_made + case when r.line is null then 0 else 1 end,
           attempts = case when r.line is null then d.attempts else d.attempts || r.line::jsonb end,
           request = case when r.line is null then d.request else coalesce(r.request, d.request) end,
           response = case when r.line is null then d.response else r.response end,
           error = case when r.line is null then d.error else r.error end,
           truncated = case when r.line is null then d.truncated else r.truncated end,
           updated_at = ${at}
      from mine r
     where not d.done and d.hook_id = r.hook_id and d.id = r.id
    returning d.id, (select array_agg(id) from disabled) "disabledHooks"`;
};

interface Health {
  hookId: string;
  /** Whether any of the hook's calls succeeded. */
  succeeded: boolean;
  /** Number of failed calls since the last success. */
  failures: number;
  gone: boolean;
}

/**
 * Summarizes the results by hook. Pings do not count for the circuit and the five days, however they end. Only their
 * 410, which says that the address is gone, counts.
 */
function healthOf(results: readonly Result[]): readonly Health[] {
  const hooks = new Map<string, Health>();
  for (const { delivery, health } of results) {
    if (!health || (delivery.event === 'ping' && health !== 'gone')) continue;
    const before = hooks.get(delivery.hookId) ?? {
      hookId: delivery.hookId,
      succeeded: false,
      failures: 0,
      gone: false,
    };
    if (health === 'success') hooks.set(delivery.hookId, { ...before, succeeded: true, failures: 0 });
    else {
      const failures = before.failures + (delivery.event === 'ping' ? 0 : 1);
      hooks.set(delivery.hookId, { ...before, failures, gone: before.gone || health === 'gone' });
    }
  }
  return [...hooks.values()];
}
