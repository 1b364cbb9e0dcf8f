import type pg from 'pg';
import sql from 'sql-template-tag';
import { clockTolerance } from '../clock-tolerance.js';
import { lease } from './claim.js';

/** Deliveries that one statement changes. */
const batchSize = 10_000;
/** Times are looked at again after this long, for clocks of other processes. Milliseconds. */
const interval = 600_000;
/** After a step they are looked at again after this long: what was under way then wrote times of before. Milliseconds. */
const soon = 10_000;

/** A clock that is watched. */
export interface WatchedClock {
  /** Milliseconds since 1970. */
  clock(): number;
  /**
   * Does the work where the clock was stepped back, at the first look, ten seconds after these, and every ten minutes. Until it
   * succeeds it is due.
   */
  look(work: (now: number) => Promise<void>): Promise<void>;
}

/**
 * Finds out when a clock was stepped back: it is then behind what it gave before, and the time that passed since. What was
 * written by it would else wait until it is there again.
 *
 * @param clock milliseconds since 1970, which an operator or NTP may set
 * @param elapsed milliseconds that nobody can set
 */
export function watchClock(clock: () => number, elapsed: () => number = () => performance.now()): WatchedClock {
  /** The furthest that it was ahead of the time that passed. */
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
 * Brings back times that lie further ahead than they can, because a clock was ahead when they were written. A delivery
 * that was written later than now waits as long as it was to wait, from now on, and so do hooks whose circuit is open;
 * leases and the allowances of hooks count as just written. Answers the number of deliveries.
 *
 * @param now milliseconds since 1970
 */
export async function bringBackTimes(pool: Pick<pg.Pool, 'query'>, now: number): Promise<number> {
  const at = new Date(now);
  const beyond = (wait: number) => new Date(now + wait + clockTolerance);
  // A process that lives renews its leases before they run out; those of one that is gone end in a minute.
  await pool.query(sql`
    update delivery_lease set locked_until = ${new Date(now + lease)} where locked_until > ${beyond(lease)}`);
  // Locked in one order by everyone, as settling does.
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
  // A claimed ping is put off by its lease, and not written otherwise.
  await pool.query(sql`
    update delivery_open set next_attempt_at = ${at} where event = 'ping' and next_attempt_at > ${beyond(lease)}`);
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
