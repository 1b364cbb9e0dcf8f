import type { Logger } from 'pino';
import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';

/** Number of consecutive timeouts after which a filter's query is switched off. */
const maxTimeouts = 5;
/** Timeouts closer together than this count as one, in milliseconds: a short disturbance is not the query's fault. */
const minSpacing = 2000;

/** Records the timeouts of filter queries. The commit of records calls it, so its methods neither wait nor throw. */
export interface FilterHealth {
  /** Logs that a hook gets records because its filter's query could not be answered. */
  unanswered(hookId: string, records: number): void;
  /** Counts a timeout of a hook's filter query. Several in a row switch the query off. */
  timedOut(hookId: string): void;
  /** Resets the timeouts of a hook's filter query that was answered in time. */
  inTime(hookId: string): void;
  /** Resolves when everything reported so far is written. */
  close(): Promise<void>;
}

export interface FilterHealthOptions {
  pool: Queryable;
  clock: () => number;
  log: Logger;
  /** Counts events for the metrics. */
  count(event: 'timeout' | 'disabled'): void;
}

/** Creates the filter health. Storing records must not take connections from its pool. */
export function createFilterHealth({ pool, clock, log, count }: FilterHealthOptions): FilterHealth {
  const writing = new Set<Promise<void>>();
  /** Time of the last timeout that counted, by hook. */
  const counted = new Map<string, number>();

  const write = (work: () => Promise<void>) => {
    const done = work()
      .catch((error: unknown) => log.warn({ err: error }, 'Timeouts of a filter not counted'))
      .finally(() => writing.delete(done));
    writing.add(done);
  };

  return {
    unanswered(hookId, records) {
      log.warn({ hookId, records }, 'Query of a filter not answered; its hook gets the records');
    },
    timedOut(hookId) {
      count('timeout');
      const now = clock();
      // A time in the future dates from before the clock was stepped back.
      for (const [hook, at] of counted) if (at <= now - minSpacing || at > now) counted.delete(hook);
      if (counted.has(hookId)) return;
      counted.set(hookId, now);
      write(async () => {
        const { rowCount } = await pool.query(sql`
          with counted as (
            update hook_state set filter_timeouts = (filter_timeouts + 1) % ${maxTimeouts}::integer
             where hook_id = ${hookId} returning hook_id, filter_timeouts
          )
          update hook h set filter_disabled_at = ${new Date(now)}, filter_disabled_reason = 'timeout',
                 updated_at = greatest(${new Date(now)}, h.updated_at + interval '1 ms')
            from counted c where h.id = c.hook_id and c.filter_timeouts = 0 and h.filter_disabled_at is null`);
        if (!rowCount) return;
        count('disabled');
        log.warn({ hookId }, 'Query of a filter disabled: it timed out repeatedly');
      });
    },
    inTime(hookId) {
      write(async () => {
        await pool.query(sql`
          update hook_state set filter_timeouts = 0 where hook_id = ${hookId} and filter_timeouts > 0`);
      });
    },
    async close() {
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}
