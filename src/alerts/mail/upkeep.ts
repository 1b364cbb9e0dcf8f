import type pg from 'pg';
import type { Logger } from 'pino';
import sql from 'sql-template-tag';
import { dayMs, hourMs, weekMs } from '#common/time.js';
import { createPeriodicTasks, type PeriodicTasks } from '#scheduling/periodic-tasks.js';
import { askSpacing } from './claim.js';

/** Number of count-only rows of one recipient above which they are merged. */
const maxCountRows = 100;
/** Maximum number of rows that one statement merges. */
const atOnce = 10_000;

/** Merges counts and deletes expired rows, even if e-mail is off. */
export const createMailUpkeep = (pool: pg.Pool, clock: () => number, log: Logger): PeriodicTasks =>
  createPeriodicTasks(
    {
      counts: { every: 60_000, run: () => mergeCounts(pool, new Date(clock())) },
      expired: { every: hourMs, run: () => expire(pool, clock()) },
    },
    { log, failed: 'Clean-up of expired e-mail notices failed; it will be repeated' },
  );

/** Merges the count-only rows of each recipient without a lease into one. */
export async function mergeCounts(pool: pg.Pool, now: Date): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ gone: number }>(sql`
      with many as (
        select m.recipient_id id from alert_mail m where m.notice is null group by m.recipient_id having count(*) > ${maxCountRows}),
      gone as (
        delete from alert_mail where id in (
          select m.id from many join alert_recipient r on r.id = many.id join alert_mail m on m.recipient_id = many.id
           where m.notice is null and (r.locked_until is null or r.locked_until <= ${now})
           limit ${atOnce} for update of m skip locked)
        returning recipient_id, count, created_at),
      summed as (
        insert into alert_mail (recipient_id, count, created_at)
        select recipient_id, least(sum(count), 1000000000)::int, max(created_at) from gone group by recipient_id)
      select count(*)::int gone from gone`);
    if (rows[0]!.gone < atOnce) return;
  }
}

/**
 * Deletes expired tokens and counts, unconfirmed addresses that no rule names, and notices that cannot be sent any
 * more.
 */
export async function expire(pool: pg.Pool, now: number): Promise<void> {
  const before = (age: number) => new Date(now - age);
  await pool.query(sql`delete from alert_mail_token where expires_at <= ${before(0)}`);
  await pool.query(sql`delete from alert_mail_asked where asked_at <= ${before(askSpacing)}`);
  await pool.query(sql`delete from alert_mail_day where day < ${before(weekMs)}`);
  await pool.query(sql`
    delete from alert_recipient r
     where r.state = 'pending' and greatest(r.since, r.asked_at) <= ${before(weekMs)}
       and not exists (
         select from alert_rule a where a.organization_id = r.organization_id
            and exists (select from unnest(a.recipients) x where lower(x) = lower(r.address)))`);
  // A mail is retried for one day, and waits for another day if the organization has used up its mails.
  await pool.query(sql`
    delete from alert_mail m
     where m.created_at <= ${before(3 * dayMs)}
        or not exists (select from alert_recipient r where r.id = m.recipient_id and r.state = 'confirmed')`);
}
