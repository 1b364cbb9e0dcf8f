import type pg from 'pg';
import sql from 'sql-template-tag';
import { dayMs } from '#common/time.js';
import { transaction } from '#database/transaction.js';
import { type Claimed, digestSpacing } from './claim.js';
import type { MailFault } from './fault.js';

/** Time for which a mail is retried, in milliseconds. Its notices are dropped afterwards. */
const giveUpAfter = dayMs;
/** Wait before the first retry, which doubles with each one up to {@link maxWait}. Milliseconds. */
const firstWait = 60_000;
const maxWait = 15 * 60_000;

/** Outcome of a mail. `stale` means that another process holds the lease by now. */
export type MailOutcome = 'sent' | 'failed' | 'stopped' | 'dropped' | 'stale';

/** Writes the outcomes of mails, guarded by their lease. */
export interface Settler {
  /**
   * @param at time at which the mail was composed. The validity of its links and the wait before the next mail begin
   * then.
   */
  sent(claimed: Claimed, ids: readonly string[], at: Date): Promise<MailOutcome>;
  failed(claimed: Claimed, fault: MailFault): Promise<MailOutcome>;
  /** Releases the lease on a recipient for whom no notice waits. */
  release(claimed: Claimed): Promise<void>;
}

/** Creates the settler over a pool. */
export const createSettler = (pool: pg.Pool, clock: () => number): Settler => ({
  sent: (claimed, ids, at) => transaction(pool, (tx) => settleSent(tx, claimed, ids, at)),
  failed: (claimed, fault) =>
    transaction(pool, (tx) =>
      fault.isRecipients
        ? settleRefused(tx, claimed, fault, new Date(clock()))
        : settleFailed(tx, claimed, fault, clock()),
    ),
  async release({ id, claimId }) {
    await pool.query(
      sql`update alert_recipient set claim_id = null, locked_until = null where id = ${id} and claim_id = ${claimId}`,
    );
  },
});

const released = sql`claim_id = null, locked_until = null`;
const faultless = sql`failures = 0, failing_since = null`;

async function settleSent(
  tx: pg.PoolClient,
  { kind, id, claimId, organizationId }: Claimed,
  ids: readonly string[],
  at: Date,
): Promise<MailOutcome> {
  const done =
    kind === 'ask' ? sql`asked_at = ${at}, ask_at = null` : sql`next_at = ${new Date(at.getTime() + digestSpacing)}`;
  const { rowCount } = await tx.query(sql`
    update alert_recipient set ${released}, ${faultless}, last_error = null, ${done} where id = ${id} and claim_id = ${claimId}`);
  if (rowCount === 0) return 'stale';
  await noteMailed(tx, id, ids, at);
  await tx.query(sql`delete from alert_mail where id = any(${ids}::bigint[])`);
  const [notices, asked] = kind === 'ask' ? [0, 1] : [1, 0];
  await tx.query(sql`
    insert into alert_mail_day as d (organization_id, day, notices, asked)
    values (${organizationId}, (${at}::timestamptz at time zone 'utc')::date, ${notices}, ${asked})
        on conflict (organization_id, day) do update
       set notices = d.notices + excluded.notices, asked = d.asked + excluded.asked`);
  return 'sent';
}

/** Notes which episodes a mail was about. An episode that was deleted meanwhile is left out. */
const noteMailed = (tx: pg.PoolClient, recipientId: string, ids: readonly string[], at: Date) =>
  tx.query(sql`
    insert into episode_mail (episode_id, kind, recipient_id, address, sent_at)
    select e.id, m.notice ->> 'kind', r.id, r.address, ${at}
      from alert_mail m join alert_recipient r on r.id = m.recipient_id
      join episode e on e.id = (m.notice ->> 'episodeId')::uuid
     where m.recipient_id = ${recipientId} and m.id = any(${ids}::bigint[])
     order by e.id for key share of e
        on conflict do nothing`);

async function settleRefused(
  tx: pg.PoolClient,
  { id, claimId }: Claimed,
  { says }: MailFault,
  now: Date,
): Promise<MailOutcome> {
  const { rowCount } = await tx.query(sql`
    update alert_recipient set ${released}, ${faultless}, last_error = null, ask_at = null, state = 'stopped',
           reason = ${says}, since = ${now}
     where id = ${id} and claim_id = ${claimId}`);
  if (rowCount === 0) return 'stale';
  await tx.query(sql`delete from alert_mail where recipient_id = ${id}`);
  return 'stopped';
}

async function settleFailed(
  tx: pg.PoolClient,
  claimed: Claimed,
  { says }: MailFault,
  now: number,
): Promise<MailOutcome> {
  const { kind, id, claimId, failures, failingSince, address } = claimed;
  const isOver = failingSince !== null && failingSince <= now - giveUpAfter;
  const again = new Date(now + Math.min(firstWait * 2 ** failures, maxWait));
  const next = kind === 'ask' ? sql`ask_at = ${isOver ? null : again}` : sql`next_at = ${again}`;
  const count = isOver
    ? faultless
    : sql`failures = failures + 1, failing_since = coalesce(failing_since, ${new Date(now)})`;
  const { rowCount } = await tx.query(sql`
    update alert_recipient set ${released}, ${count}, last_error = ${says}, ${next} where id = ${id} and claim_id = ${claimId}`);
  if (rowCount === 0) return 'stale';
  // The mail did not reach the address, so the next mail need not wait for an hour.
  if (kind === 'ask') await tx.query(sql`delete from alert_mail_asked where address = lower(${address})`);
  if (!isOver) return 'failed';
  await tx.query(sql`delete from alert_mail where recipient_id = ${id}`);
  return 'dropped';
}
