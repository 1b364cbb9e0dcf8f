import type { Pool } from 'pg';
import { hashToken } from '#auth/token.js';
import { unauthenticated } from '#common/errors.js';
import type { OidcProvider } from '#config/oidc-setting.js';
import { transaction } from '#database/transaction.js';
import { newValues } from '#entities/audit-event.js';
import { Role } from '#entities/enums.js';
import { escaped, type Page, sendPage, tokenOf } from '#http/page.js';
import type { Read } from '#schema/context.js';
import { createPerson, findAccount } from './accounts.js';
import { cookieOf, requireOwnPage, takesCookies } from './cookie.js';
import { acceptInvitation, findInvitation, type OpenInvitation } from './invitations.js';
import { type Arrival, endArrival, findArrival } from './pending-sign-ins.js';
import { findPerson, noteByPerson, openSession } from './sessions.js';
import type { Visit } from './visit.js';

/** Dependencies of the pages of invitations. */
export interface InvitationPagesOptions {
  pool: Pool;
  read: Read;
  clock: () => number;
  providers: readonly OidcProvider[];
  /** Gives a browser its new session. */
  signIn: (visit: Visit, session: string) => Promise<void>;
}

/**
 * Creates the page that the link of an invitation opens. GET shows the page and changes nothing, because mail scanners
 * follow links. POST accepts the invitation for a person who is signed in, or who came back from a provider and has no
 * account here yet.
 */
export function createInvitationPages({ pool, read, clock, providers, signIn }: InvitationPagesOptions) {
  /** Finds the invitation of a request, by its link or by the browser's arrival, and the person who would accept it. */
  const look = async ({ request, origin, query }: Visit) => {
    const token = tokenOf(query);
    const browser = cookieOf(request, origin, 'browser');
    const arrival = browser === undefined ? undefined : await findArrival(pool, browser);
    const hash = token === '' ? arrival?.invitation : hashToken(token);
    const session = cookieOf(request, origin, 'session');
    const person = session === undefined ? undefined : await findPerson(read, session);
    // A person who signed in for one invitation may accept only that one.
    const arrived = arrival?.person && hash?.equals(arrival.invitation) ? arrival.person : undefined;
    return { token, hash, browser, person, arrived };
  };
  return {
    async get(visit: Visit) {
      const { response, origin } = visit;
      const { token, hash, person, arrived } = await look(visit);
      const invitation = hash && (await findInvitation(pool, hash));
      if (invitation === undefined) return sendPage(response, over);
      const text = describe(invitation);
      const accept = [{ text: 'Accept', action: token === '' ? '/auth/invitation' : `?token=${token}` }];
      const others = providers.map(({ number, name }) => ({
        text: `Sign in with ${escaped(name)}`,
        href: `/auth/start?provider=${number}&amp;invitation=${token}`,
      }));
      if (person !== undefined || arrived !== undefined) {
        const who = person ? (person.name ?? person.username) : (arrived?.name ?? arrived?.email ?? arrived?.username);
        const you = `You accept it as ${escaped(who ?? 'a new user')}.`;
        return sendPage(response, {
          ...invited,
          text: [text, you],
          buttons: accept,
          links: token === '' ? [] : others,
        });
      }
      const how = !takesCookies(origin)
        ? 'Open this service by https to sign in.'
        : others.length > 0
          ? 'Sign in to accept it.'
          : 'Sign in first, by a link that the operator of this service gives you, and open this page again.';
      sendPage(response, { ...invited, text: [text, how], links: takesCookies(origin) ? others : [] });
    },
    async post(visit: Visit) {
      const { request, response, origin, visitor } = visit;
      requireOwnPage(request, origin);
      const { hash, browser, person, arrived } = await look(visit);
      if (person === undefined && arrived === undefined) throw unauthenticated();
      const value = await transaction(pool, async (tx) => {
        const invitation = hash && (await findInvitation(tx, hash, { lock: true }));
        if (invitation === undefined) return undefined;
        const now = new Date(clock());
        const userId = person?.userId ?? (await accountOf(tx, arrived!, now));
        if (userId === undefined) return undefined;
        await acceptInvitation(tx, invitation, userId, now);
        if (browser !== undefined) await endArrival(tx, browser);
        const session = await openSession(tx, userId, visitor, now, invitation.organizationId);
        await noteByPerson(tx, session, visitor, {
          organizationId: invitation.organizationId,
          action: 'acceptInvitation',
          target: { kind: 'member', id: userId },
          changes: newValues({ role: invitation.role }),
        });
        return session;
      });
      if (value === undefined) return sendPage(response, over);
      await signIn(visit, value);
      response.redirect(303, '/console/');
    },
  };
}

/** Returns the account of a person: a new one, unless another browser has created it meanwhile. */
async function accountOf(tx: Parameters<typeof createPerson>[0], person: NonNullable<Arrival['person']>, now: Date) {
  const standing = await findAccount(tx, person, [], now);
  if (standing === 'disabled') return undefined;
  return standing?.userId ?? createPerson(tx, person, now);
}

const describe = ({ organization, role }: OpenInvitation): string =>
  `${escaped(organization)} invites you to be ${role === Role.owner ? 'an owner' : 'a member'} of its organization.`;

const invited = { title: 'An invitation' };

const over: Page = {
  status: 404,
  title: 'This invitation is no good',
  text: 'It was accepted or revoked, or its time is over. Ask whoever invited you for another one.',
};
