import type pg from 'pg';
import sql from 'sql-template-tag';
import { weekMs } from '#common/time.js';
import { type Claimed, readWaiting } from './claim.js';
import { askMail, type Mail, noticeMail } from './message.js';
import { shownInMail } from './outbox.js';
import { newMailToken, type StopTokens } from './token.js';

/** Validity of a link that confirms an address, in milliseconds. */
const linkLifetime = weekMs;

/** Paths of the pages that links in mails open. */
export const confirmPath = '/alerts/mail/confirm';
export const stopPath = '/alerts/mail/stop';

export interface ComposerOptions {
  pool: pg.Pool;
  clock: () => number;
  tokens: StopTokens;
  origin: string;
}

/** A mail, and the rows of the notices in it. */
export interface Composed {
  mail: Mail;
  ids: string[];
}

/**
 * Creates the composer, which writes the mail of a claimed recipient. It returns undefined if no notice waits any more.
 */
export const createComposer =
  ({ pool, clock, tokens, origin }: ComposerOptions) =>
  async ({ kind, id, address: to, organization }: Claimed): Promise<Composed | undefined> => {
    const terms = (key: string) => ({
      to,
      organization,
      stopUrl: `${origin}${stopPath}?token=${tokens.write(id)}`,
      messageId: `<alert.${id}.${key}@${new URL(origin).hostname.replaceAll(/[[\]]/g, '')}>`,
    });
    if (kind === 'ask') {
      const { token, hash } = newMailToken();
      const expiresAt = new Date(clock() + linkLifetime);
      await pool.query(
        sql`insert into alert_mail_token (hash, recipient_id, expires_at) values (${hash}, ${id}, ${expiresAt})`,
      );
      const confirmUrl = `${origin}${confirmPath}?token=${token}`;
      return { mail: askMail({ ...terms(hash.toString('hex', 0, 8)), confirmUrl }), ids: [] };
    }
    const { ids, notices, more } = await readWaiting(pool, id, shownInMail);
    const last = ids.at(-1);
    return last === undefined ? undefined : { mail: noticeMail({ ...terms(last), notices, more, origin }), ids };
  };
