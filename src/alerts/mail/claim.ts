import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { hourMs } from '#common/time.js';
import type { MailNotice } from './outbox.js';

/** Duration of a lease on a recipient, in milliseconds. It is longer than sending a mail may take. */
export const leaseTime = 120_000;
/** Minimum time between two mails with notices to one recipient, in milliseconds. */
export const digestSpacing = 5 * 60_000;
/** Maximum number of mails with notices that one organization sends in a day (UTC). */
export const noticesOfDay = 1000;
/** Maximum number of mails that ask for confirmation that one organization sends in a day (UTC). */
export const asksOfDay = 50;
/**
 * Minimum time between two mails that ask one address for confirmation, from all organizations together, in
 * milliseconds.
 */
export const askSpacing = hourMs;
/** Maximum number of rows of notices that one mail reads. Later rows are for the next mail. */
const readAtOnce = 5000;

/** A recipient whose lease this process holds. */
export interface Claimed {
  kind: 'ask' | 'notice';
  id: string;
  claimId: string;
  organizationId: string;
  /** Unique name of the organization. */
  organization: string;
  address: string;
  failures: number;
  /** Milliseconds since 1970. */
  failingSince: number | null;
}

const columns = sql`
  r.id, r.organization_id "organizationId", a.username organization, r.address, r.failures,
  extract(epoch from r.failing_since)::float8 * 1000 "failingSince"`;

/**
 * Leases at most `limit` recipients for whom notices wait. Recipients who need not wait for a digest come first. While an
 * organization is disabled, its notices wait.
 */
export async function claimNotices(
  tx: pg.PoolClient,
  { now, claimId, limit }: { now: Date; claimId: string; limit: number },
): Promise<Claimed[]> {
  const { rows } = await tx.query<Omit<Claimed, 'kind' | 'claimId'>>(sql`
    with recursive waiting as (
      (select recipient_id id from alert_mail order by recipient_id limit 1)
      union all
      select (select m.recipient_id from alert_mail m where m.recipient_id > w.id order by m.recipient_id limit 1)
        from waiting w where w.id is not null)
    select ${columns}
      from waiting w join alert_recipient r on r.id = w.id join account a on a.id = r.organization_id
      left join alert_mail_day d on d.organization_id = r.organization_id and d.day = (${now}::timestamptz at time zone 'utc')::date
     where r.state = 'confirmed' and not a.disabled and (r.next_at is null or r.next_at <= ${now} or ${isUrgent(now)})
       and (r.locked_until is null or r.locked_until <= ${now}) and coalesce(d.notices, 0) < ${noticesOfDay}
     order by r.next_at nulls first, r.id limit ${limit} for update of r skip locked`);
  await lease(tx, rows, claimId, now);
  return rows.map((row) => ({ ...row, kind: 'notice', claimId }));
}

/**
 * SQL condition: an opening of severity `critical` waits for the recipient `r`, and is not held for the next digest. It
 * is held if a mail named the same rule and device shortly before, or if mails to the recipient fail.
 */
const isUrgent = (now: Date): Sql => sql`
  r.failures = 0 and exists (
    select from alert_mail m join episode e on e.id = (m.notice ->> 'episodeId')::uuid
     where m.recipient_id = r.id and m.notice ->> 'kind' = 'opened' and e.severity = 'critical'
       and not exists (
         select from episode_mail s join episode o on o.id = s.episode_id
          where s.recipient_id = r.id and s.sent_at > ${new Date(now.getTime() - digestSpacing)}
            and o.rule_id = e.rule_id and o.device_id = e.device_id))`;

/** Leases at most `limit` recipients who are to be asked for confirmation. */
export async function claimAsks(
  tx: pg.PoolClient,
  { now, claimId, limit }: { now: Date; claimId: string; limit: number },
): Promise<Claimed[]> {
  const { rows } = await tx.query<Omit<Claimed, 'kind' | 'claimId'> & { isNamed: boolean }>(sql`
    select ${columns}, exists (
             select from alert_rule n where n.organization_id = r.organization_id
                and exists (select from unnest(n.recipients) x where lower(x) = lower(r.address))) "isNamed"
      from alert_recipient r join account a on a.id = r.organization_id
      left join alert_mail_day d on d.organization_id = r.organization_id and d.day = (${now}::timestamptz at time zone 'utc')::date
     where r.state = 'pending' and not a.disabled and r.ask_at <= ${now} and (r.locked_until is null or r.locked_until <= ${now})
       and coalesce(d.asked, 0) < ${asksOfDay}
     order by r.ask_at, r.id limit ${limit} for update of r skip locked`);
  const claimed: typeof rows = [];
  for (const row of rows) {
    if (!row.isNamed) await tx.query(sql`update alert_recipient set ask_at = null where id = ${row.id}`);
    else if (await markAsked(tx, row.address, now)) claimed.push(row);
    else {
      const later = new Date(now.getTime() + askSpacing);
      await tx.query(sql`update alert_recipient set ask_at = ${later} where id = ${row.id}`);
    }
  }
  await lease(tx, claimed, claimId, now);
  return claimed.map(({ isNamed: _, ...row }) => ({ ...row, kind: 'ask', claimId }));
}

/** Notes that an address is asked now. Returns false if some organization asked it within {@link askSpacing}. */
export async function markAsked(tx: pg.PoolClient, address: string, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    insert into alert_mail_asked as m (address, asked_at) values (lower(${address}), ${now})
        on conflict (address) do update set asked_at = excluded.asked_at
     where m.asked_at <= ${new Date(now.getTime() - askSpacing)}`);
  return rowCount === 1;
}

const lease = (tx: pg.PoolClient, rows: readonly { id: string }[], claimId: string, now: Date) =>
  tx.query(sql`
    update alert_recipient set claim_id = ${claimId}, locked_until = ${new Date(now.getTime() + leaseTime)}
     where id = any(${rows.map(({ id }) => id)}::uuid[])`);

/** Notices that wait for a recipient. */
export interface Waiting {
  /** Identifiers of their rows, which are deleted once the mail is sent. */
  ids: string[];
  notices: MailNotice[];
  /** Number of notices that the mail does not show. */
  more: number;
}

/** Reads the notices that wait for a recipient, the oldest first. */
export async function readWaiting(pool: pg.Pool, recipientId: string, shown: number): Promise<Waiting> {
  const { rows } = await pool.query<{ id: string; notice: MailNotice | null; count: number }>(
    sql`select id::text, notice, count from alert_mail where recipient_id = ${recipientId} order by id limit ${readAtOnce}`,
  );
  const notices = rows.flatMap(({ notice }) => (notice === null ? [] : [notice])).slice(0, shown);
  const all = rows.reduce((sum, { count }) => sum + count, 0);
  return { ids: rows.map(({ id }) => id), notices, more: all - notices.length };
}
