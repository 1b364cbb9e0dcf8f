import type pg from 'pg';
import type { Logger } from 'pino';
import sql from 'sql-template-tag';
import { createPeriodicTasks, type PeriodicTasks } from '../../periodic-tasks.js';
import { askSpacing } from './claim.js';

const day = 86_400_000;
/** Rows of one recipient that only count are added up beyond this number. */
const countedRows = 100;
/** Rows that one statement adds up. */
const atOnce = 10_000;

/** Adds up what waits in great number, and deletes what is over, also where no e-mail is sent any more. */
export const createMailUpkeep = (pool: pg.Pool, clock: () => number, log: Logger): PeriodicTasks =>
  createPeriodicTasks(
    {
      counted: { every: 60_000, run: () => addUp(pool, new Date(clock())) },
      over: { every: 3_600_000, run: () => forget(pool, clock()) },
    },
    { log, failed: 'e-mail notices were not tidied up; it will be done again' },
  );

/** Makes one row of many that only count, of recipients to whom nobody sends at the moment. */
export async function addUp(pool: pg.Pool, now: Date): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ gone: number }>(sql`
      with many as (
        select m.recipient_id id from alert_mail m where m.notice is null group by m.recipient_id having count(*) > ${countedRows}),
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

/** Deletes tokens and counts that are over, addresses that no rule names and nobody confirmed, and notices that nobody sends. */
export async function forget(pool: pg.Pool, now: number): Promise<void> {
  const before = (age: number) => new Date(now - age);
  await pool.query(sql`delete from alert_mail_token where expires_at <= ${before(0)}`);
  await pool.query(sql`delete from alert_mail_asked where asked_at <= ${before(askSpacing)}`);
  await pool.query(sql`delete from alert_mail_day where day < ${before(7 * day)}`);
  await pool.query(sql`
    delete from alert_recipient r
     where r.state = 'pending' and greatest(r.since, r.asked_at) <= ${before(7 * day)}
       and not exists (
         select from alert_rule a where a.organization_id = r.organization_id
            and exists (select from unnest(a.recipients) x where lower(x) = lower(r.address)))`);
  // Longer than a budget is used up or a mail is tried again.
  await pool.query(sql`
    delete from alert_mail m
     where m.created_at <= ${before(3 * day)}
        or not exists (select from alert_recipient r where r.id = m.recipient_id and r.state = 'confirmed')`);
}
