import type pg from 'pg';
import type { Logger } from 'pino';
import sql from 'sql-template-tag';

/** A query that ran out of time so many times in a row is switched off; */
const maxTimeouts = 5;
/** times that lie closer together than this count as one, in milliseconds: what lasts no longer is not the query's fault. */
const minSpacing = 2000;

/** Keeps account of the queries of filters. None of it waits or fails: it is told in the middle of storing records. */
export interface FilterHealth {
  /** So many records are delivered because the query of a hook's filter was not answered. */
  unanswered(hookId: string, records: number): void;
  /** The query of a hook's filter ran out of time: again and again, and it is switched off. */
  timedOut(hookId: string): void;
  /** It was answered, after it had run out of time before. */
  inTime(hookId: string): void;
  /** Resolves when everything told so far is written. */
  close(): Promise<void>;
}

/** Settings of the account. */
export interface FilterHealthOptions {
  pool: Pick<pg.Pool, 'query'>;
  clock: () => number;
  log: Logger;
  /** Counts, for the metrics. */
  count(event: 'timeout' | 'disabled'): void;
}

/** Opens the account over a pool of which storing records takes no connections. */
export function createFilterHealth({ pool, clock, log, count }: FilterHealthOptions): FilterHealth {
  const writing = new Set<Promise<void>>();
  /** When the last time that counted was, by hook. */
  const counted = new Map<string, number>();

  const write = (work: () => Promise<void>) => {
    const done = work()
      .catch((error: unknown) => log.warn({ err: error }, 'the account of a filter could not be written'))
      .finally(() => writing.delete(done));
    writing.add(done);
  };

  return {
    unanswered(hookId, records) {
      log.warn({ hookId, records }, 'the query of a filter could not be answered; its hook gets the records');
    },
    timedOut(hookId) {
      count('timeout');
      const now = clock();
      // A time to come is one from before the clock was stepped back.
      for (const [hook, at] of counted) if (at <= now - minSpacing || at > now) counted.delete(hook);
      if (counted.has(hookId)) return;
      counted.set(hookId, now);
      write(async () => {
        const { rowCount } = await pool.query(sql`
          with counted as (
            update hook_state set filter_timeouts = (filter_timeouts + 1) % ${maxTimeouts}::integer
             where hook_id = ${hookId} returning hook_id, filter_timeouts
          )
          update hook h set filter_disabled_at = ${new Date(now)}, filter_disabled_reason = 'timeout'
            from counted c where h.id = c.hook_id and c.filter_timeouts = 0 and h.filter_disabled_at is null`);
        if (!rowCount) return;
        count('disabled');
        log.warn({ hookId }, 'the query of a filter was switched off: it kept running out of time');
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
