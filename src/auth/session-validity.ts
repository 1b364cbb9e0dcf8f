import sql, { empty, type Sql } from 'sql-template-tag';
import { unauthenticated } from '#common/errors.js';
import { weekMs } from '#common/time.js';
import type { Caller } from '#entities/caller.js';
import type { Read } from '#schema/context.js';
import { hashToken } from './token.js';

/** Longest life of a session, in milliseconds. */
export const lifetime = weekMs;

/** Condition on `session s`: it is not over, and was used within 12 hours. */
export const isOpen: Sql = sql`s.expires_at > now() and s.last_used_at > now() - interval '12 hours'`;

/** Condition on `session s`: its last use was noted more than a minute ago, so that a further use is noted. */
export const isStale: Sql = sql`s.last_used_at < now() - interval '1 minute'`;

/**
 * Valid sessions, as `s`, each with the membership `m` of its person in the organization where the session acts. Both
 * accounts are enabled.
 */
export const validSessions: Sql = sql`
  from session s
  join account o on o.id = s.organization_id and not o.disabled
  join account u on u.id = s.user_id and not u.disabled
  join membership m on m.organization_id = s.organization_id and m.user_id = s.user_id
 where ${isOpen}`;

/**
 * Finds the caller by the value of a session's cookie.
 * @throws unauthenticated, the same 401 as for a token: for a session that is unknown, over or without an organization,
 * an ended membership, and a disabled account.
 */
export async function authenticateSession(read: Read, value: string, position = empty): Promise<Caller> {
  const hash = hashToken(value);
  const [found] = await read<Caller & { stale: boolean }>(sql`
    select s.id as "tokenId", s.organization_id as "organizationId", s.user_id as "userId", null as "deviceId",
           null as "productId", null as "applicationId", 'full' as scope, m.role, true as "bySession",
           null as "tokenName", coalesce(u.name, u.username) as "userName",
           ${isStale} as stale${position}
      ${validSessions} and s.hash = ${hash}`);
  if (found === undefined) throw unauthenticated();
  if (found.stale) await touchSession(read, hash);
  return found;
}

/** Records the use of a session. The condition limits many calls within a minute to one write. */
export const touchSession = (read: Read, hash: Buffer) =>
  read(sql`update session s set last_used_at = now() where s.hash = ${hash} and ${isStale}`);
