import sql, { empty, type Sql } from 'sql-template-tag';
import { unauthenticated } from '#common/errors.js';
import type { Caller } from '#entities/caller.js';
import type { Read } from '#schema/context.js';
import { hashToken } from './token.js';

/** Longest life of a session, in milliseconds. */
export const lifetime = 7 * 86_400_000;

/** Condition on `session s`: it is not over, and was used within 12 hours. */
export const isOpen: Sql = sql`s.expires_at > now() and s.last_used_at > now() - interval '12 hours'`;

/** Sessions that count, as `s`: of a person who is a member `m` of the organization that they act in; both are not disabled. */
export const validSessions: Sql = sql`
  from session s
  join account o on o.id = s.organization_id and not o.disabled
  join account u on u.id = s.user_id and not u.disabled
  join membership m on m.organization_id = s.organization_id and m.user_id = s.user_id
 where ${isOpen}`;

/**
 * Finds who calls by the value of a session's cookie; throws the same 401 as a token does for a session that is unknown or
 * over, that acts in no organization, for a membership that ended and for a disabled account.
 */
export async function authenticateSession(read: Read, value: string, position = empty): Promise<Caller> {
  const hash = hashToken(value);
  const [found] = await read<Caller & { stale: boolean }>(sql`
    select s.id as "tokenId", s.organization_id as "organizationId", s.user_id as "userId", null as "deviceId",
           null as "productId", null as "applicationId", 'full' as scope, m.role, true as "bySession",
           null as "tokenName", coalesce(u.name, u.username) as "userName",
           s.last_used_at < now() - interval '1 minute' as stale${position}
      ${validSessions} and s.hash = ${hash}`);
  if (found === undefined) throw unauthenticated();
  if (found.stale) await touchSession(read, hash);
  return found;
}

/** Notes the use of a session; the condition keeps many calls of one minute down to one write. */
export const touchSession = (read: Read, hash: Buffer) =>
  read(
    sql`update session set last_used_at = now() where hash = ${hash} and last_used_at < now() - interval '1 minute'`,
  );
