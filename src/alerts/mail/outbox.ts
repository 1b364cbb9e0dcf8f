import sql from 'sql-template-tag';
import { namedStatement } from '#database/named-statement.js';
import type { Queryable } from '#database/queryable.js';

/** Maximum number of notices that a mail shows. Further ones are only counted. */
export const shownInMail = 50;

/** A notice that waits for its mail. Times are Unix seconds. Fields that may be absent are so in notices of 0.2.0. */
export interface MailNotice {
  episodeId?: string;
  ruleId?: string;
  deviceId?: string;
  /** Values that the rule compares, of the record that opened or closed the episode. */
  values?: Readonly<Record<string, unknown>> | null;
  openedReason?: string | null;
  /** Desired values that the device had not reported when the episode opened. */
  openedState?: readonly { name: string; desired: unknown }[] | null;
  kind: 'opened' | 'closed';
  rule: string;
  severity: string;
  application: string;
  /** Name of the device, or its serial if it has none; null for a deleted device of which neither is known. */
  device: string | null;
  serial: string | null;
  openedAt: number;
  closedAt: number | null;
  reason: string | null;
}

/**
 * Stores notices of openings or closings for the confirmed recipients of their rules, in the caller's transaction. It
 * locks no row that another transaction writes. If more notices wait for a recipient than one mail shows, a single row
 * counts the rest. Returns whether there is a mail to send.
 */
export async function enqueueNotices(
  tx: Queryable,
  kind: MailNotice['kind'],
  episodeIds: readonly string[],
  now: Date,
): Promise<boolean> {
  const query = sql`
    with notified as (
      select r.id recipient_id, row_number() over (partition by r.id order by e.id) place,
             jsonb_build_object(
               'kind', ${kind}::text, 'episodeId', e.id, 'ruleId', e.rule_id, 'deviceId', e.device_id,
               'values', case when ${kind}::text = 'closed' then e.closed_by else e.opened_by end -> 'values',
               'openedReason', e.opened_reason, 'openedState', e.opened_state, 'rule', e.rule_name, 'severity', e.severity, 'application', p.name,
               'device', coalesce(nullif(d.name, ''), nullif(e.device_name, ''), d.serial, e.device_serial),
               'serial', coalesce(d.serial, e.device_serial),
               'openedAt', extract(epoch from e.opened_at)::float8,
               'closedAt', case when ${kind}::text = 'closed' then extract(epoch from e.closed_at)::float8 end,
               'reason', case when ${kind}::text = 'closed' then e.closed_reason end) notice
        from episode e
        left join alert_rule a on a.id = e.rule_id
        join application p on p.id = e.application_id
        left join device d on d.id = e.device_id
       cross join lateral (select distinct lower(x) address from unnest(coalesce(a.recipients, e.recipients)) x) w
        join alert_recipient r
          on r.organization_id = e.organization_id and lower(r.address) = w.address and r.state = 'confirmed'
       where e.id = any(${episodeIds}::uuid[])),
    room as (
      select r.recipient_id, greatest(0, ${shownInMail} - (
               select count(*) from (select from alert_mail m where m.recipient_id = r.recipient_id limit ${shownInMail}) m)) free
        from (select distinct recipient_id from notified) r)
    insert into alert_mail (recipient_id, notice, count, created_at)
    select recipient_id, notice, 1, ${now}::timestamptz from notified join room using (recipient_id) where place <= free
     union all
    select recipient_id, null, count(*)::int, ${now}::timestamptz from notified join room using (recipient_id)
     where place > free group by recipient_id`;
  const { rowCount } = await tx.query(namedStatement('alert mail', query));
  return (rowCount ?? 0) > 0;
}
