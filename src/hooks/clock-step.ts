import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { clockTolerance } from '#scheduling/clock-tolerance.js';
import { deliveryLease } from './claim.js';

/** Maximum number of deliveries that one statement changes. */
const batchSize = 10_000;
/** Interval of the checks that correct times written by other processes' clocks, in milliseconds. */
const interval = 600_000;
/**
 * Delay of the check after a step of the clock, in milliseconds: transactions open at the step wrote times from before
 * it.
 */
const soon = 10_000;

/** A clock that notices when it is stepped back. */
export interface WatchedClock {
  /** Returns milliseconds since 1970. */
  clock(): number;
  /**
   * Runs `work` if the clock was stepped back, and on the first call, ten seconds after either, and every ten minutes.
   * If it fails, it is due again on the next call.
   */
  look(work: (now: number) => Promise<void>): Promise<void>;
}

/**
 * Watches a clock for steps back. A stepped clock is behind its earlier value plus the time that passed since. Without
 * a correction, everything written before the step would wait until the clock reaches that time again.
 *
 * @param clock milliseconds since 1970, which an operator or NTP may set
 * @param elapsed monotonic milliseconds
 */
export function watchClock(clock: () => number, elapsed: () => number = () => performance.now()): WatchedClock {
  /** Largest lead of the clock over the elapsed time. */
  let ahead = Number.POSITIVE_INFINITY;
  let next = 0;
  return {
    clock() {
      const now = clock();
      ahead = Math.max(ahead, now - elapsed());
      return now;
    },
    async look(work) {
      const [now, passed] = [clock(), elapsed()];
      const stepped = ahead - (now - passed) > clockTolerance;
      if (!stepped && passed < next) return;
      ahead = now - passed;
      try {
        await work(now);
        next = passed + (stepped ? soon : interval);
      } catch (error) {
        next = 0;
        throw error;
      }
    },
  };
}

/**
 * Corrects times that lie impossibly far ahead, because the clock was ahead when they were written. A delivery that was
 * written later than now waits its intended time from now on, and so does a hook whose circuit is open. Leases and rate
 * tokens count as just written. Returns the number of corrected deliveries.
 *
 * @param now milliseconds since 1970
 */
export async function bringBackTimes(pool: Queryable, now: number): Promise<number> {
  const at = new Date(now);
  const beyond = (wait: number) => new Date(now + wait + clockTolerance);
  // A live process renews its leases before they end. Those of a dead process end in a minute.
  await pool.query(sql`
    update delivery_lease set locked_until = ${new Date(now + deliveryLease)} where locked_until > ${beyond(deliveryLease)}`);
  // Everyone locks these rows in the same order, as settling does.
  await pool.query(sql`
    with ahead as materialized (
      select hook_id from hook_state
       where last_failure_at > ${beyond(0)} or failing_since > ${beyond(0)} or tokens_at > ${beyond(0)}
       order by hook_id for update
    )
    update hook_state s
       set circuit_until = case when circuit_until > last_failure_at and last_failure_at > ${at}
             then ${at}::timestamptz + (circuit_until - last_failure_at) else circuit_until end,
           last_failure_at = case when last_failure_at > ${at} then ${at} else last_failure_at end,
           failing_since = case when failing_since > ${at} then ${at} else failing_since end,
           tokens_at = case when tokens_at > ${at} then ${at} else tokens_at end
      from ahead a where s.hook_id = a.hook_id`);
  // The claim of a ping postpones it by the lease without writing `updated_at`.
  await pool.query(sql`
    update delivery_open set next_attempt_at = ${at} where event = 'ping' and next_attempt_at > ${beyond(deliveryLease)}`);
  for (let count = 0; ; ) {
    const { rowCount } = await pool.query(sql`
      with ahead as materialized (
        select hook_id, id from delivery_open
         where event = 'record' and next_attempt_at > ${beyond(0)} and updated_at > ${beyond(0)}
         limit ${batchSize} for update skip locked
      )
      update delivery_open d
         set next_attempt_at = ${at}::timestamptz + greatest(d.next_attempt_at - d.updated_at, '0'), updated_at = ${at}
        from ahead a where d.hook_id = a.hook_id and d.id = a.id`);
    count += rowCount ?? 0;
    if ((rowCount ?? 0) < batchSize) return count;
  }
}
