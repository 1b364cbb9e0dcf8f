import sql from 'sql-template-tag';
import { hashToken } from '#auth/token.js';
import { rateLimited, unavailable } from '#common/errors.js';
import { networkOf } from '#http/client-network.js';
import type { Checks, Claims } from './provider.js';
import type { Database } from './sessions.js';

/** Maximum duration of a sign-in, in milliseconds. */
export const attemptTime = 600_000;
/** Maximum number of sign-ins in progress, per IP address and in total. */
const perAddress = 100;
const inAll = 10_000;

/** A sign-in in progress. */
export interface Attempt extends Omit<Checks, 'state'> {
  provider: number;
  returnTo: string;
  /** Hash of the token of the invitation with which the sign-in began. */
  invitation: Buffer | null;
}

/**
 * Stores a sign-in that begins.
 * @throws rateLimited or unavailable if too many are in progress
 */
export async function storeAttempt(
  db: Database,
  { state, browser, address, ...attempt }: Attempt & { state: string; browser: string; address: string },
  now: Date,
): Promise<void> {
  const { provider, nonce, verifier, redirectUri, returnTo, invitation } = attempt;
  const network = networkOf(address);
  const { rows } = await db.query<{ here: number; all: number }>(sql`
    select (select count(*) from (select from sign_in_attempt where address = ${network} limit ${perAddress}) a)::int as here,
           (select count(*) from (select from sign_in_attempt limit ${inAll}) a)::int as all`);
  if (rows[0]!.here >= perAddress) throw rateLimited('Too many sign-ins of this address are under way.', 600);
  if (rows[0]!.all >= inAll) throw unavailable('Too many sign-ins are under way. Try again shortly.');
  await db.query(sql`
    insert into sign_in_attempt (state, browser, provider, nonce, verifier, redirect_uri, return_to, invitation, address,
                                 created_at, expires_at)
    values (${hashToken(state)}, ${hashToken(browser)}, ${provider}, ${nonce}, ${verifier}, ${redirectUri}, ${returnTo},
            ${invitation}, ${network}, ${now}, ${new Date(now.getTime() + attemptTime)})`);
}

/** Consumes a sign-in of a browser by its state. A repeated callback finds none. */
export async function takeAttempt(db: Database, state: string, browser: string): Promise<Attempt | undefined> {
  const { rows } = await db.query<Attempt>(sql`
    delete from sign_in_attempt
     where state = ${hashToken(state)} and browser = ${hashToken(browser)} and expires_at > now() and person is null
    returning provider, nonce, verifier, redirect_uri as "redirectUri", return_to as "returnTo", invitation`);
  return rows[0];
}

/** A sign-in that came back from its provider, and can now accept an invitation. */
export interface Arrival {
  invitation: Buffer;
  /** The person, if they have no account yet. */
  person: Claims | null;
}

/** Stores the arrival of a browser. It replaces an earlier arrival. */
export async function storeArrival(
  tx: Database,
  { invitation, person, browser, address }: Arrival & { browser: string; address: string },
  now: Date,
): Promise<void> {
  const key = hashToken(browser);
  await tx.query(sql`delete from sign_in_attempt where browser = ${key} and provider = 0`);
  await tx.query(sql`
    insert into sign_in_attempt (state, browser, provider, nonce, verifier, redirect_uri, return_to, invitation, address,
                                 created_at, expires_at, person)
    values (${hashToken(`arrival ${browser}`)}, ${key}, 0, '', '', '', '', ${invitation}, ${networkOf(address)}, ${now},
            ${new Date(now.getTime() + attemptTime)}, ${JSON.stringify(person)})`);
}

/** Finds the arrival of a browser, unless it has expired. */
export async function findArrival(db: Database, browser: string): Promise<Arrival | undefined> {
  const { rows } = await db.query<Arrival>(sql`
    select invitation, person from sign_in_attempt
     where browser = ${hashToken(browser)} and provider = 0 and expires_at > now()`);
  return rows[0];
}

/** Deletes the arrival of a browser. */
export const endArrival = (db: Database, browser: string) =>
  db.query(sql`delete from sign_in_attempt where browser = ${hashToken(browser)} and provider = 0`);
