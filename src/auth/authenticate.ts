import sql, { empty, type Sql } from 'sql-template-tag';
import { unauthenticated } from '#common/errors.js';
import type { Caller } from '#entities/caller.js';
import type { Read } from '#schema/context.js';
import { authenticateSession } from './session-validity.js';
import { bearerToken, hashToken } from './token.js';

interface TokenRow extends Caller {
  /** Whether `lastUsedAt` is more than a minute old, or unset. */
  readonly stale: boolean;
}

/**
 * Valid tokens, as `t`: neither revoked nor expired. Their organization and, for a token bound to a member `m`, the
 * member's account must not be disabled.
 */
export const validTokens: Sql = sql`
  from api_token t
  join account o on o.id = t.organization_id and not o.disabled
  left join membership m on m.organization_id = t.organization_id and m.user_id = t.user_id
  left join account u on u.id = t.user_id
 where t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
   and (t.user_id is null or (m.user_id is not null and not u.disabled))`;

/** Role of a valid token `t` of a member `m`. A link to a dashboard never has the role of an owner. */
export const roleOfToken: Sql = sql`case when t.application_id is null then coalesce(m.role, 'owner') else 'member' end`;

/**
 * Identifies the caller by the `Authorization` header.
 * @param position SQL, after a comma, of a column with the primary's position in its write-ahead log; empty without
 * standbys
 * @throws unauthenticated, always the same 401: for a missing, unknown, expired or revoked token, an ended membership,
 * and a disabled account.
 */
export async function authenticate(read: Read, header: string | undefined, position = empty): Promise<Caller> {
  const token = bearerToken(header);
  if (token === undefined) throw unauthenticated();
  const [found] = await read<TokenRow>(sql`
    select t.id as "tokenId", t.organization_id as "organizationId", t.user_id as "userId", t.device_id as "deviceId",
           t.product_id as "productId", t.application_id as "applicationId", t.scope, false as "bySession",
           ${roleOfToken} as role, t.name as "tokenName", coalesce(u.name, u.username) as "userName",
           (t.last_used_at is null or t.last_used_at < now() - interval '1 minute') as stale${position}
      ${validTokens} and t.hash = ${hashToken(token)}`);
  if (found === undefined) throw unauthenticated();
  if (found.stale) await touch(read, found.tokenId);
  return found;
}

/** A look-up of a credential. */
interface Asking {
  caller: Promise<Caller>;
  /** Whether further calls may join. The look-up is sent at the end of the current iteration of the event loop. */
  open: boolean;
  /** The next look-up, which all calls share that came after this one was sent. */
  next?: Promise<Caller>;
}

/**
 * Creates a look-up that runs once for all calls with the same credential that arrive together. Calls that arrive
 * during a look-up wait for the next one and share it. So every call arrives before its look-up is sent, and none gets
 * an outdated result.
 */
const coalesceLookups = (find: (credential: string) => Promise<Caller>): ((credential: string) => Promise<Caller>) => {
  const questions = new Map<string, Asking>();
  const ask = (credential: string): Promise<Caller> => {
    const asking: Asking = { caller: find(credential), open: true };
    questions.set(credential, asking);
    setImmediate(() => {
      asking.open = false;
    });
    const forget = () => {
      if (asking.next === undefined) questions.delete(credential);
    };
    asking.caller.then(forget, forget);
    return asking.caller;
  };
  return (credential) => {
    const asking = questions.get(credential);
    if (asking === undefined) return ask(credential);
    if (asking.open) return asking.caller;
    const again = () => ask(credential);
    asking.next ??= asking.caller.then(again, again);
    return asking.next;
  };
};

/** Finds the caller by the `Authorization` header or, if `session` is given, by that value of a session's cookie. */
export type Authenticate = (header: string | undefined, session?: string) => Promise<Caller>;

/**
 * Creates the authentication of callers.
 * @param position SQL expression of the primary's position in its write-ahead log. A standby answers a caller's reads
 * only from that position on; without it, no standby answers them.
 */
export const createAuthenticate = (read: Read, position?: Sql): Authenticate => {
  const also = position === undefined ? empty : sql`, ${position} as position`;
  const byToken = coalesceLookups((header) => authenticate(read, header, also));
  const bySession = coalesceLookups((value) => authenticateSession(read, value, also));
  return (header = '', session) => (session === undefined ? byToken(header) : bySession(session));
};

/** Records the use of a token. The condition limits many calls within a minute to one write. */
const touch = (read: Read, tokenId: string) =>
  read(sql`update api_token set last_used_at = now()
            where id = ${tokenId} and (last_used_at is null or last_used_at < now() - interval '1 minute')`);
