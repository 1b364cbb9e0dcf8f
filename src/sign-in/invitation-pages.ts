import type { Pool } from 'pg';
import sql, { empty } from 'sql-template-tag';
import { isOpenInvitation } from '#auth/invitation-validity.js';
import { hashToken } from '#auth/token.js';
import { unauthenticated } from '#common/errors.js';
import type { OidcProviderSettings } from '#config/oidc-setting.js';
import type { Queryable } from '#database/queryable.js';
import { transaction } from '#database/transaction.js';
import type { AuditChanges } from '#entities/audit-event.js';
import { Role } from '#entities/enums.js';
import { escaped, type HtmlPage, sendPage, tokenOf } from '#http/page.js';
import type { Read } from '#schema/context.js';
import { createPerson, findAccount } from './accounts.js';
import { endArrival, findArrival } from './arrivals.js';
import type { Claims } from './claims.js';
import type { NoteRefused } from './refusals.js';
import { cookieOf, requireOwnPage, takesCookies } from './session-cookie.js';
import { findPerson, noteByPerson, openSession } from './sessions.js';
import type { Visit } from './visit.js';

export interface InvitationPagesOptions {
  pool: Pool;
  read: Read;
  clock: () => number;
  providers: readonly OidcProviderSettings[];
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
async function accountOf(tx: Queryable, person: Claims, now: Date): Promise<string | undefined> {
  const standing = await findAccount(tx, person, now);
  if (standing?.disabled) return undefined;
  return standing?.userId ?? createPerson(tx, person, now);
}

const describe = ({ organization, role }: OpenInvitation): string =>
  `${escaped(organization)} invites you to be ${role === Role.owner ? 'an owner' : 'a member'} of its organization.`;

const invited = { title: 'An invitation' };

const over: HtmlPage = {
  status: 404,
  title: 'This invitation is not valid',
  text: 'It was accepted or revoked, or it has expired. Ask whoever invited you for another one.',
};

/** An invitation, as everyone who has its link sees it. */
interface OpenInvitation {
  id: string;
  organizationId: string;
  /** Name of the organization. */
  organization: string;
  role: Role;
}

/** Finds the invitation of a link, unless it has ended or its organization is disabled. */
async function findInvitation(db: Queryable, hash: Buffer, { lock = false } = {}): Promise<OpenInvitation | undefined> {
  const { rows } = await db.query<OpenInvitation>(sql`
    select i.id, i.organization_id as "organizationId", coalesce(o.name, o.username) as organization, i.role
      from invitation i join account o on o.id = i.organization_id and not o.disabled
     where i.hash = ${hash} and ${isOpenInvitation} ${lock ? sql`for update of i` : empty}`);
  return rows[0];
}

/**
 * Makes a person a member by a locked invitation, and ends the invitation. An existing member keeps the higher role.
 * Deleted teams are skipped. Returns the changes, for the event.
 */
async function acceptInvitation(
  tx: Queryable,
  { id, organizationId, role }: OpenInvitation,
  userId: string,
  now: Date,
): Promise<AuditChanges> {
  const { rowCount: isNew } = await tx.query(sql`
    insert into membership (organization_id, user_id, role, created_at) values (${organizationId}, ${userId}, ${role}, ${now})
    on conflict (organization_id, user_id) do nothing`);
  const { rowCount: isRaised } = await tx.query(sql`
    update membership set role = ${role}
     where organization_id = ${organizationId} and user_id = ${userId} and role = 'member' and ${role} = 'owner'`);
  const { rows: teams } = await tx.query<{ id: string }>(sql`
    insert into team_member (organization_id, team_id, user_id)
    select t.organization_id, t.id, ${userId}::uuid from invitation i
      join team t on t.organization_id = i.organization_id and t.id = any(i.team_ids)
     where i.id = ${id} order by t.id
    on conflict do nothing returning team_id as id`);
  await tx.query(sql`delete from invitation where id = ${id}`);
  return {
    invitationId: [id, null],
    ...(isNew ? { role: [null, role] } : isRaised ? { role: ['member', role] } : {}),
    ...(teams.length > 0 && { teamIds: [null, teams.map((team) => team.id)] }),
  };
}
