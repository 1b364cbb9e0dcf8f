import type { Pool } from 'pg';
import { hashToken } from '#auth/token.js';
import { unavailable } from '#common/errors.js';
import type { OidcProviderSettings } from '#config/oidc-setting.js';
import { transaction } from '#database/transaction.js';
import { findAccount } from './accounts.js';
import { endArrival, isUsed, storeArrival, useAttempt } from './arrivals.js';
import { openAttempt, type SealedAttempt, sealAttempt } from './attempt.js';
import type { Claims } from './claims.js';
import type { OidcClient } from './oidc-client.js';
import { type RefusalReason, refusalStatus, SignInRefusal } from './refusal.js';
import type { NoteRefused, Refused } from './refusals.js';
import { openSession, type Visitor } from './sessions.js';

export interface OidcOptions {
  pool: Pool;
  clock: () => number;
  providers: readonly OidcProviderSettings[];
  note: NoteRefused;
}

/** Destination of a person who begins to sign in. */
export interface Wish {
  returnTo: string;
  /** Token of an invitation's link; '' without one. */
  invitation: string;
}

/** Outcome of a sign-in that came back from its provider. */
export type SignedIn =
  /** Signed in: the value of the session's cookie, and the page to open next. */
  | { session: string; returnTo: string }
  /** The person has no account here. The page can create one by the invitation that the sign-in began with. */
  | { mayAccept: string }
  /** `refused` is the reason, for people. `provider` is the number of the provider to try again. */
  | { refused: string; status: number; provider?: number | undefined };

/** Signs people in by OpenID Connect. */
export interface OidcSignIn {
  /**
   * Begins a sign-in of a browser, and returns the provider's address; undefined if there is no such provider.
   * @throws unavailable if the provider's metadata cannot be had, or does not fit the settings
   */
  begin(
    provider: number,
    browser: { secret: string; redirectUri: string },
    wish: Wish,
    visitor: Visitor,
  ): Promise<string | undefined>;
  /** Ends a sign-in. @param query of the callback's address */
  finish(query: string, browser: string, visitor: Visitor): Promise<SignedIn>;
}

/** Path that providers send people back to. */
export const callbackPath = '/auth/callback';
/** Path of the page that links of invitations open. */
export const invitationPath = '/auth/invitation';

/**
 * Creates sign-in by providers. The library is loaded at the first sign-in, so that it does not slow the start of a
 * service.
 */
export function createOidcSignIn({ pool, clock, providers, note }: OidcOptions): OidcSignIn {
  const opened = new Map<number, OidcClient>();
  const open = async (settings: OidcProviderSettings): Promise<OidcClient> => {
    const { openOidcClient } = await import('./oidc-client.js');
    const provider = opened.get(settings.number) ?? openOidcClient(settings);
    opened.set(settings.number, provider);
    return provider;
  };
  const settingsOf = (number: number) => providers.find((each) => each.number === number);
  const now = () => new Date(clock());

  /** Signs the person in, or keeps who they are for the page of the invitation. */
  const receive = (
    claims: Claims,
    { state, invitation, returnTo }: SealedAttempt,
    { browser, visitor }: { browser: string; visitor: Visitor },
  ) =>
    transaction(pool, async (tx): Promise<Exclude<SignedIn, { refused: string }> | Refused> => {
      if (!(await useAttempt(tx, state, now()))) return { refusal: over() };
      const standing = await findAccount(tx, claims, now());
      const { subject } = claims;
      const hash = invitation === '' ? undefined : hashToken(invitation);
      const page = `${invitationPath}?token=${invitation}`;
      if (standing === undefined) {
        if (hash === undefined) return { refusal: refusal('no-account', nobody), subject };
        await storeArrival(tx, { browser, invitation: hash, person: claims }, now());
        return { mayAccept: page };
      }
      const { userId, disabled, renamed } = standing;
      if (disabled) return { refusal: refusal('disabled', 'This account is disabled.'), subject, userId };
      // The person who arrived last is the one who accepts.
      if (hash !== undefined) await endArrival(tx, browser, hash);
      const session = await openSession(tx, userId, visitor, now(), { changes: renamed && { name: renamed } });
      return { session, returnTo: hash === undefined ? returnTo : page };
    });

  return {
    async begin(number, { secret, redirectUri }, { returnTo, invitation }, visitor) {
      const settings = settingsOf(number);
      if (settings === undefined) return undefined;
      const attempt = sealAttempt(secret, { provider: number, redirectUri, returnTo, invitation }, now());
      try {
        return (await (await open(settings)).addressFor(attempt)).href;
      } catch (error) {
        if (!(error instanceof SignInRefusal)) throw error;
        await note({ refusal: error, provider: settings, invitation: hashOf(invitation) }, visitor);
        throw unavailable(error.message, new Error(error.detail));
      }
    },
    async finish(query, browser, visitor) {
      const state = new URLSearchParams(query).get('state') ?? '';
      const attempt = openAttempt(browser, state, now());
      const settings = attempt && settingsOf(attempt.provider);
      const refuse = async (refused: Refused): Promise<SignedIn> => {
        const invitation = attempt && hashOf(attempt.invitation);
        await note({ provider: settings, invitation, ...refused }, visitor);
        const { reason, message } = refused.refusal;
        return { refused: message, status: refusalStatus(reason), provider: attempt?.provider };
      };
      if (attempt === undefined || settings === undefined || (await isUsed(pool, state)))
        return refuse({ refusal: over() });
      try {
        const claims = await (await open(settings)).exchange(query, attempt);
        const ended = await receive(claims, attempt, { browser, visitor });
        return 'refusal' in ended ? await refuse(ended) : ended;
      } catch (error) {
        if (error instanceof SignInRefusal) return refuse({ refusal: error });
        throw error;
      }
    },
  };
}

const hashOf = (token: string): Buffer | undefined => (token === '' ? undefined : hashToken(token));

const refusal = (reason: RefusalReason, message: string) => new SignInRefusal(reason, message);

const over = () => refusal('state', 'This sign-in was not started in this browser, has expired, or was already used.');

const nobody =
  'The provider knows you, but you have no account here. Ask an owner of your organization to invite you, and open the link of the invitation.';
