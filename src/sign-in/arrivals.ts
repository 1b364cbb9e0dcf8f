import sql from 'sql-template-tag';
import { hashToken } from '#auth/token.js';
import type { Queryable } from '#database/queryable.js';
import { attemptTime } from './attempt.js';
import type { Claims } from './claims.js';

/* What a browser brings back from a provider. Only people whom a provider vouched for leave rows. */

/** Marks a sign-in as used, so that its address does not count twice. Returns false if it was used before. */
export async function useAttempt(tx: Queryable, state: string, now: Date): Promise<boolean> {
  // No browser has an empty key: a process of the release before, which kept sign-ins here, never finds the row.
  const { rowCount } = await tx.query(sql`
    insert into sign_in_attempt (state, browser, provider, nonce, verifier, redirect_uri, return_to, address,
                                 created_at, expires_at)
    values (${hashToken(state)}, ''::bytea, -1, '', '', '', '', '', ${now}, ${new Date(now.getTime() + 2 * attemptTime)})
    on conflict (state) do nothing`);
  return rowCount === 1;
}

/** Whether a sign-in was used. */
export async function isUsed(db: Queryable, state: string): Promise<boolean> {
  const { rowCount } = await db.query(sql`select from sign_in_attempt where state = ${hashToken(state)}`);
  return rowCount !== 0;
}

/** A person who came back from a provider, has no account yet, and can now accept an invitation. */
export interface Arrival {
  browser: string;
  /** Hash of the token of the invitation with which the sign-in began. */
  invitation: Buffer;
  person: Claims;
}

const keyOf = (browser: string, invitation: Buffer) => hashToken(`arrival ${browser} ${invitation.toString('hex')}`);

/** Stores the arrival of a browser. It replaces an earlier arrival for the same invitation. */
export async function storeArrival(tx: Queryable, { invitation, person, browser }: Arrival, now: Date): Promise<void> {
  const expiresAt = new Date(now.getTime() + attemptTime);
  await tx.query(sql`
    insert into sign_in_attempt (state, browser, provider, nonce, verifier, redirect_uri, return_to, invitation, address,
                                 created_at, expires_at, person)
    values (${keyOf(browser, invitation)}, ${hashToken(browser)}, 0, '', '', '', '', ${invitation}, '', ${now},
            ${expiresAt}, ${JSON.stringify(person)})
    on conflict (state) do update
       set person = excluded.person, created_at = excluded.created_at, expires_at = excluded.expires_at`);
}

/** Finds the person whom a browser brought back for an invitation, unless that is too long ago. */
export async function findArrival(db: Queryable, browser: string, invitation: Buffer): Promise<Claims | undefined> {
  const { rows } = await db.query<{ person: Claims }>(sql`
    select person from sign_in_attempt where state = ${keyOf(browser, invitation)} and expires_at > now()`);
  return rows[0]?.person;
}

/** Deletes the arrival of a browser for an invitation. */
export const endArrival = (db: Queryable, browser: string, invitation: Buffer) =>
  db.query(sql`delete from sign_in_attempt where state = ${keyOf(browser, invitation)}`);
