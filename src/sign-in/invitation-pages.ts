import type { Pool } from 'pg';
import { hashToken } from '#auth/token.js';
import { unauthenticated } from '#common/errors.js';
import type { OidcProvider } from '#config/oidc-setting.js';
import { transaction } from '#database/transaction.js';
import { Role } from '#entities/enums.js';
import { escaped, type Page, sendPage, tokenOf } from '#http/page.js';
import type { Read } from '#schema/context.js';
import { createPerson, findAccount } from './accounts.js';
import { endArrival, findArrival } from './arrivals.js';
import type { Claims } from './claims.js';
import { cookieOf, requireOwnPage, takesCookies } from './cookie.js';
import { acceptInvitation, findInvitation, type OpenInvitation } from './invitations.js';
import type { NoteRefused } from './refusals.js';
import { type Database, findPerson, noteByPerson, openSession } from './sessions.js';
import type { Visit } from './visit.js';

/** Dependencies of the pages of invitations. */
export interface InvitationPagesOptions {
  pool: Pool;
  read: Read;
  clock: () => number;
  providers: readonly OidcProvider[];
  note: NoteRefused;
  /** Gives a browser its new session. */
  signIn: (visit: Visit, session: string) => Promise<void>;
}

/** Value of `as` in the address of a form: the person who came back from a provider, not the one who is signed in. */
const arriving = 'arrival';

/**
 * Creates the page that the link of an invitation opens. GET shows the page and changes nothing, because mail scanners
 * follow links. POST accepts the invitation for a person who is signed in, or who came back from a provider and has no
 * account here yet. If there are both, the page offers both, and the form says whom it is for.
 */
export function createInvitationPages({ pool, read, clock, providers, note, signIn }: InvitationPagesOptions) {
  /** Finds the invitation of a request, and the people who may accept it. */
  const look = async ({ request, origin, query }: Visit) => {
    const token = tokenOf(query);
    const hash = hashToken(token);
    const browser = cookieOf(request, origin, 'browser');
    // A person who signed in for one invitation may accept only that one.
    const arrived = browser === undefined ? undefined : await findArrival(pool, browser, hash);
    const session = cookieOf(request, origin, 'session');
    const person = session === undefined ? undefined : await findPerson(read, session);
    return { token, hash, browser, person, arrived };
  };
  return {
    async get(visit: Visit) {
      const { response, origin } = visit;
      const { token, hash, person, arrived } = await look(visit);
      const invitation = await findInvitation(pool, hash);
      if (invitation === undefined) return sendPage(response, over);
      const text = describe(invitation);
      const others = providers.map(({ number, name }) => ({
        text: `Sign in with ${escaped(name)}`,
        href: `/auth/start?provider=${number}&amp;invitation=${token}`,
      }));
      const who = [
        ...(arrived ? [{ as: arriving, name: arrived.name ?? arrived.email ?? arrived.username ?? 'a new user' }] : []),
        ...(person ? [{ as: person.userId, name: person.name ?? person.username }] : []),
      ];
      const buttons = who.map(({ as, name }) => ({
        text: who.length > 1 ? `Accept as ${escaped(name)}` : 'Accept',
        action: `?token=${token}&amp;as=${as}`,
      }));
      if (who.length > 0) {
        const you =
          who.length > 1
            ? 'You came back from a provider as one person, and are signed in here as another. Choose who accepts it.'
            : `You accept it as ${escaped(who[0]!.name)}.`;
        return sendPage(response, { ...invited, text: [text, you], buttons, links: others });
      }
      const how = !takesCookies(origin)
        ? 'Open this service by https to sign in.'
        : others.length > 0
          ? 'Sign in to accept it.'
          : 'Sign in first, by a link that the operator of this service gives you, and open this page again.';
      sendPage(response, { ...invited, text: [text, how], links: takesCookies(origin) ? others : [] });
    },
    async post(visit: Visit) {
      const { request, response, origin, query, visitor } = visit;
      requireOwnPage(request, origin);
      const { token, hash, browser, person, arrived } = await look(visit);
      const as = query.get('as');
      const accepts = as === arriving || (as === null && arrived !== undefined) ? arrived : person;
      if (accepts === undefined) throw unauthenticated();
      // Somebody else signed in since the page was shown: it has to say so before they accept.
      if ('userId' in accepts && as !== null && as !== accepts.userId)
        return response.redirect(303, `${request.path}?token=${token}`);
      const value = await transaction(pool, async (tx) => {
        const invitation = await findInvitation(tx, hash, { lock: true });
        if (invitation === undefined) return undefined;
        const now = new Date(clock());
        const userId = 'userId' in accepts ? accepts.userId : await accountOf(tx, accepts, now);
        if (userId === undefined) return undefined;
        const { organizationId } = invitation;
        const changes = await acceptInvitation(tx, invitation, userId, now);
        if (browser !== undefined) await endArrival(tx, browser, hash);
        const session = await openSession(tx, userId, visitor, now, { organizationId });
        const target = { kind: 'member', id: userId };
        await noteByPerson(tx, session, visitor, { organizationId, action: 'acceptInvitation', target, changes });
        return session;
      });
      if (value === undefined) {
        await note({ refusal: { reason: 'link', message: over.title, detail: undefined } }, visitor);
        return sendPage(response, over);
      }
      await signIn(visit, value);
      response.redirect(303, '/console/');
    },
  };
}

/** Returns the account of a person: a new one, unless they got one meanwhile. Undefined for a disabled account. */
async function accountOf(tx: Database, person: Claims, now: Date): Promise<string | undefined> {
  const standing = await findAccount(tx, person, now);
  if (standing?.disabled) return undefined;
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
