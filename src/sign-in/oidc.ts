import type { Pool } from 'pg';
import { hashToken } from '#auth/token.js';
import { unavailable } from '#common/errors.js';
import type { OidcProvider } from '#config/oidc-setting.js';
import { transaction } from '#database/transaction.js';
import { findAccount } from './accounts.js';
import { storeArrival, storeAttempt, takeAttempt } from './pending-sign-ins.js';
import type { Provider } from './provider.js';
import { openSession, type Visitor } from './sessions.js';

/** Dependencies of sign-ins by a provider. */
export interface OidcOptions {
  pool: Pool;
  clock: () => number;
  providers: readonly OidcProvider[];
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
  /** The person has no account here. The invitation that the sign-in began with can create one. */
  | { mayAccept: true }
  /** `refused` is the reason, for people. `provider` is the number of the provider to try again. */
  | { refused: string; status: number; provider?: number };

/** Signs people in by OpenID Connect. */
export interface OidcSignIn {
  /** Begins a sign-in of a browser, and returns the provider's address; undefined if there is no such provider. */
  begin(
    provider: number,
    browser: { secret: string; redirectUri: string; address: string },
    wish: Wish,
  ): Promise<string | undefined>;
  /** Ends a sign-in. @param query of the callback's address */
  finish(query: string, browser: string, visitor: Visitor): Promise<SignedIn>;
}

/** Path that providers send people back to. */
export const callbackPath = '/auth/callback';
/** Path of the page that links of invitations open. */
export const invitationPath = '/auth/invitation';

const over = { refused: 'This sign-in was not begun in this browser, is over, or was used already.', status: 400 };

/**
 * Creates sign-in by providers. The library is loaded at the first sign-in, so that it does not slow the start of a
 * service.
 */
export function createOidcSignIn({ pool, clock, providers }: OidcOptions): OidcSignIn {
  const opened = new Map<number, Provider>();
  const open = async (number: number) => {
    const settings = providers.find((each) => each.number === number);
    if (settings === undefined) return undefined;
    const library = await import('./provider.js');
    const provider = opened.get(number) ?? library.openProvider(settings);
    opened.set(number, provider);
    return { provider, settings, library };
  };
  return {
    async begin(number, { secret, redirectUri, address }, { returnTo, invitation }) {
      const found = await open(number);
      if (found === undefined) return undefined;
      const checks = found.provider.newChecks(redirectUri);
      const url = await found.provider.addressFor(checks).catch(away);
      const hash = invitation === '' ? null : hashToken(invitation);
      const attempt = { ...checks, browser: secret, provider: number, returnTo, invitation: hash, address };
      await storeAttempt(pool, attempt, new Date(clock()));
      return url.href;
    },
    async finish(query, browser, visitor) {
      const state = new URLSearchParams(query).get('state') ?? '';
      const attempt = await takeAttempt(pool, state, browser);
      const found = attempt && (await open(attempt.provider));
      if (attempt === undefined || found === undefined) return over;
      const { provider, settings, library } = found;
      const again = { provider: attempt.provider };
      const claims = await provider.exchange(query, { ...attempt, state }).catch((error: unknown) => {
        if (error instanceof library.Refusal) return { refused: error.message, status: 403, ...again };
        return away(error);
      });
      if ('refused' in claims) return claims;
      const { invitation, returnTo } = attempt;
      return transaction(pool, async (tx): Promise<SignedIn> => {
        const now = new Date(clock());
        const standing = await findAccount(tx, claims, settings.domains, now);
        if (standing === 'disabled') return { refused: 'This account is disabled.', status: 403, ...again };
        const arrival = { browser, address: visitor.address };
        if (standing !== undefined) {
          if (invitation) await storeArrival(tx, { ...arrival, invitation, person: null }, now);
          const session = await openSession(tx, standing.userId, visitor, now);
          return { session, returnTo: invitation ? invitationPath : returnTo };
        }
        if (invitation === null) return { refused: nobody, status: 403, ...again };
        await storeArrival(tx, { ...arrival, invitation, person: claims }, now);
        return { mayAccept: true };
      });
    },
  };
}

/** Reports that the provider cannot be reached. The cause is only logged. */
const away = (cause: unknown): never => {
  throw unavailable('The provider of sign-ins cannot be reached. Try again shortly.', cause);
};

const nobody =
  'The provider knows you, but you have no account here. Ask an owner of your organization to invite you, and open the link of the invitation.';
