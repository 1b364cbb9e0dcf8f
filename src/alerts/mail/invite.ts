import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from 'pino';
import sql from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import { InvitationMail } from '#entities/invitation.js';
import { asksOfDay, markAsked } from './claim.js';
import { faultOf } from './fault.js';
import { invitationMail } from './message.js';
import type { SendMail } from './transport.js';

/** Time that the caller waits for the mail server, in milliseconds. */
const patience = 10_000;

/** Dependencies of mails that invite. */
export interface InviterOptions {
  pool: pg.Pool;
  clock: () => number;
  log: Logger;
  origin: string;
  /** Opens the connection to the mail server. */
  open: () => Promise<SendMail>;
}

/**
 * Creates the functions that count an invitation, and send it at once. No other process could send the invitation later,
 * because its link is not stored. Invitations share the limits of confirmation mails: both go to addresses that nobody
 * has confirmed.
 */
export const createInviter = ({ pool, clock, log, origin, open }: InviterOptions) => ({
  takeTurn: (organizationId: string, to: string): Promise<boolean> =>
    takeTurn(pool, organizationId, to, new Date(clock())),
  async send(organization: { id: string; username: string }, to: string, url: string): Promise<InvitationMail> {
    const host = new URL(origin).hostname.replaceAll(/[[\]]/g, '');
    const mail = invitationMail({
      to,
      organization: organization.username,
      url,
      messageId: `<invitation.${randomUUID()}@${host}>`,
    });
    try {
      await within(open().then((send) => send(mail)));
      return InvitationMail.sent;
    } catch (error) {
      const { says } = faultOf(error);
      log.warn({ organizationId: organization.id, code: /^\d{3}/.exec(says)?.[0] }, 'Invitation not sent by e-mail');
      await pool.query(sql`delete from alert_mail_asked where address = lower(${to})`);
      return InvitationMail.failed;
    }
  },
});

/**
 * Counts a mail to an unconfirmed address. Returns false when the organization or the address has used up its limit.
 */
const takeTurn = (pool: pg.Pool, organizationId: string, address: string, now: Date): Promise<boolean> =>
  transaction(pool, async (tx) => {
    const { rowCount } = await tx.query(sql`
      insert into alert_mail_day as d (organization_id, day, asked)
      values (${organizationId}, (${now}::timestamptz at time zone 'utc')::date, 1)
          on conflict (organization_id, day) do update set asked = d.asked + 1 where d.asked < ${asksOfDay}`);
    return rowCount === 1 && markAsked(tx, address, now);
  });

async function within(sending: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(Object.assign(new Error('The mail took too long.'), { code: 'ETIMEDOUT' })),
      patience,
    );
  });
  try {
    await Promise.race([sending, late]);
  } finally {
    clearTimeout(timer);
  }
}
