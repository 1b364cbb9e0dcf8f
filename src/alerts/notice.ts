import type pg from 'pg';
import sql from 'sql-template-tag';
import type { AlertEvent } from './event.js';
import { eventRows } from './event.js';
import type { Mailer } from './mail/mailer.js';

/** Closings that one transaction tells. */
const atOnce = 500;

/** Stores the deliveries of events. Returns what is to be called after the commit. */
export type TellEvents = (tx: pg.PoolClient, events: readonly AlertEvent[]) => Promise<(() => void) | undefined>;

/** Claims closings that triggers wrote, and stores their deliveries and e-mail notices. */
export async function tellClosings(
  tx: pg.PoolClient,
  tell: TellEvents,
  mail: Mailer | undefined,
): Promise<{ count: number; after: (() => void) | undefined }> {
  const { rows } = await tx.query<{ id: string }>(sql`
    delete from alert_notice where episode_id in (
      select episode_id from alert_notice order by episode_id limit ${atOnce} for update skip locked)
    returning episode_id id`);
  if (rows.length === 0) return { count: 0, after: undefined };
  const ids = rows.map(({ id }) => id);
  const events = await eventRows(tx, 'alert.closed', ids);
  const after = [await tell(tx, events), await mail?.note(tx, 'closed', ids)];
  return { count: rows.length, after: () => after.forEach((call) => call?.()) };
}
