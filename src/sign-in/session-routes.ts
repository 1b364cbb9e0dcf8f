import type { Pool } from 'pg';
import { unauthenticated } from '#common/errors.js';
import type { OidcProviderSettings } from '#config/oidc-setting.js';
import { transaction } from '#database/transaction.js';
import type { AuditChanges } from '#entities/audit-event.js';
import type { Read } from '#schema/context.js';
import { cookieOf, requireOwnPage, setCookie, takesCookies } from './session-cookie.js';
import { chooseOrganization, findPerson, leaveOrganization, noteByPerson, signOut } from './sessions.js';
import type { Handlers } from './visit.js';

/** Creates the handlers that show and change the session of a browser, by path. */
export const sessionHandlers = ({
  pool,
  read,
  providers,
}: {
  pool: Pool;
  read: Read;
  providers: readonly OidcProviderSettings[];
}): Readonly<Record<string, Handlers>> => ({
  '/auth/session': {
    async get({ request, response, origin }) {
      const value = cookieOf(request, origin, 'session');
      const person = value === undefined ? undefined : await findPerson(read, value);
      const session = person && { ...person, avatarURL: `${origin}/avatars/${person.userId}.svg` };
      response.json({ providers: providers.map(({ number, name }) => ({ number, name })), session: session ?? null });
    },
  },
  '/auth/organization': {
    async post({ request, response, origin, query, visitor }) {
      requireOwnPage(request, origin);
      const value = cookieOf(request, origin, 'session');
      if (value === undefined || !(await findPerson(read, value))) throw unauthenticated();
      const organizationId = query.get('organizationId') ?? '';
      await transaction(pool, (tx) => chooseOrganization(tx, value, organizationId, visitor));
      response.status(204).end();
    },
  },
  '/auth/leave': {
    async post({ request, response, origin, query, visitor }) {
      requireOwnPage(request, origin);
      const value = cookieOf(request, origin, 'session');
      const person = value === undefined ? undefined : await findPerson(read, value);
      if (person === undefined) throw unauthenticated();
      await transaction(pool, async (tx) => {
        const organizationId = query.get('organizationId') ?? '';
        const role = await leaveOrganization(tx, person.userId, organizationId);
        const target = { kind: 'member', id: person.userId };
        const changes: AuditChanges = { role: [role, null] };
        await noteByPerson(tx, value!, visitor, { organizationId, action: 'leaveOrganization', target, changes });
      });
      response.status(204).end();
    },
  },
  '/auth/sign-out': {
    async post({ request, response, origin, visitor }) {
      requireOwnPage(request, origin);
      const value = cookieOf(request, origin, 'session');
      if (value !== undefined) await transaction(pool, (tx) => signOut(tx, value, visitor));
      if (takesCookies(origin)) response.appendHeader('Set-Cookie', setCookie(origin, 'session', '', 0));
      response.status(204).end();
    },
  },
});
