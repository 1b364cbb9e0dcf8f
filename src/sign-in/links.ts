import sql from 'sql-template-tag';
import { hashToken } from '#auth/token.js';
import type { Queryable } from '#database/queryable.js';

/** Path of the page that a link for one sign-in opens. */
export const linkPath = '/auth/link';

/** Consumes a link for one sign-in and returns the user; undefined if it has expired or the account is disabled. */
export async function takeLink(tx: Queryable, token: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ userId: string }>(sql`
    delete from sign_in_link l using account u
     where l.hash = ${hashToken(token)} and l.expires_at > now() and u.id = l.user_id and not u.disabled
    returning l.user_id as "userId"`);
  return rows[0]?.userId;
}
