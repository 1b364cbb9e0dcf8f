import type pg from 'pg';
import sql from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import { type StopTokens, tokenHash } from './token.js';

/** The actions behind the links in mails. */
export interface MailLinks {
  /** Confirms an address. Returns false for a token that is unknown or has expired. */
  confirm(token: string): Promise<boolean>;
  /**
   * Stops the mails to an address, or resumes them. Returns false for a token that no key signed, or whose address was
   * deleted.
   */
  stop(token: string, resume: boolean): Promise<boolean>;
}

/** Creates the actions over a pool. */
export const createMailLinks = (pool: pg.Pool, clock: () => number, tokens: StopTokens): MailLinks => ({
  confirm: (token) => transaction(pool, (tx) => confirm(tx, tokenHash(token), new Date(clock()))),
  async stop(token, resume) {
    const id = tokens.read(token);
    return id !== undefined && transaction(pool, (tx) => stop(tx, id, resume, new Date(clock())));
  },
});

/** Confirms an address. The link works repeatedly, unless the mails to the address were stopped since. */
async function confirm(tx: pg.PoolClient, hash: Buffer, now: Date): Promise<boolean> {
  const { rows } = await tx.query<{ id: string; state: string }>(sql`
    select r.id, r.state from alert_mail_token t join alert_recipient r on r.id = t.recipient_id
     where t.hash = ${hash} and t.expires_at > ${now} for update of r`);
  const [recipient] = rows;
  if (recipient === undefined || recipient.state === 'stopped') return false;
  await tx.query(sql`
    update alert_recipient set state = 'confirmed', since = ${now}, ask_at = null, failures = 0, failing_since = null,
           last_error = null, next_at = null
     where id = ${recipient.id} and state = 'pending'`);
  return true;
}

/**
 * Stops or resumes mails. They resume only if the recipient stopped them: a mail server that refused the address would
 * refuse it again.
 */
async function stop(tx: pg.PoolClient, id: string, resume: boolean, now: Date): Promise<boolean> {
  const { rows } = await tx.query<{ state: string; reason: string | null }>(
    sql`select state, reason from alert_recipient where id = ${id} for update`,
  );
  const [recipient] = rows;
  if (recipient === undefined) return false;
  const isOwn = recipient.state === 'stopped' && recipient.reason === 'recipient';
  if (resume) {
    if (isOwn) {
      await tx.query(
        sql`update alert_recipient set state = 'confirmed', reason = null, since = ${now} where id = ${id}`,
      );
    }
    return isOwn || recipient.state === 'confirmed';
  }
  if (!isOwn) {
    await tx.query(sql`
      update alert_recipient set state = 'stopped', reason = 'recipient', since = ${now}, ask_at = null, failures = 0,
             failing_since = null, last_error = null
       where id = ${id}`);
  }
  await tx.query(sql`delete from alert_mail where recipient_id = ${id}`);
  return true;
}
