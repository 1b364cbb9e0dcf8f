import type pg from 'pg';
import sql from 'sql-template-tag';
import type { AlertEvent } from './event.js';
import { eventRows } from './event.js';
import type { Mailer } from './mail/mailer.js';
import type { Outbox } from './outbox.js';

/** Maximum number of closings that one transaction claims. */
const atOnce = 500;

/**
 * Stores the deliveries of events in the caller's transaction. Returns a function to call after the commit, or
 * undefined.
 */
export type EnqueueEvents = (tx: pg.PoolClient, events: readonly AlertEvent[]) => Promise<(() => void) | undefined>;

/**
 * Creates the outbox of closings that no record causes. A trigger notes an episode whose rule or device is changed or
 * deleted; draining the outbox stores the deliveries of hooks and the e-mail notices.
 */
export const createClosings = (enqueue: EnqueueEvents, mail: Mailer | undefined): Outbox => ({
  isWaiting: sql`exists (select from alert_notice)`,
  async drain(tx) {
    const { rows } = await tx.query<{ id: string }>(sql`
      delete from alert_notice where episode_id in (
        select episode_id from alert_notice order by episode_id limit ${atOnce} for update skip locked)
      returning episode_id id`);
    if (rows.length === 0) return { count: 0, after: undefined };
    const ids = rows.map(({ id }) => id);
    const events = await eventRows(tx, 'alert.closed', ids);
    const after = [await enqueue(tx, events), await mail?.enqueue(tx, 'closed', ids)];
    return { count: rows.length, after: () => after.forEach((call) => call?.()) };
  },
});
