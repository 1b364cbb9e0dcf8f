import sql, { type Sql } from 'sql-template-tag';
import type { Caller } from '../entities/caller.js';
import { unauthenticated } from '../errors.js';
import type { Read } from '../schema/context.js';
import { bearerToken, hashToken } from './token.js';

interface TokenRow extends Caller {
  /** Whether `lastUsedAt` is a minute old or unset. */
  readonly stale: boolean;
}

/**
 * Tokens that count, as `t`: neither revoked nor expired, of an organization and, where they are bound to one, a member `m`
 * that are not disabled.
 */
export const validTokens: Sql = sql`
  from api_token t
  join account o on o.id = t.organization_id and not o.disabled
  left join membership m on m.organization_id = t.organization_id and m.user_id = t.user_id
  left join account u on u.id = t.user_id
 where t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
   and (t.user_id is null or (m.user_id is not null and not u.disabled))`;

/**
 * Finds who calls by the `Authorization` header; throws the same 401 for a missing, unknown, expired or revoked token,
 * for a membership that ended and for a disabled account.
 */
export async function authenticate(read: Read, header: string | undefined): Promise<Caller> {
  const token = bearerToken(header);
  if (token === undefined) throw unauthenticated();
  const [found] = await read<TokenRow>(sql`
    select t.id as "tokenId", t.organization_id as "organizationId", t.user_id as "userId", t.device_id as "deviceId",
           t.product_id as "productId", t.scope,
           coalesce(m.role, 'owner') as role,
           (t.last_used_at is null or t.last_used_at < now() - interval '1 minute') as stale
      ${validTokens} and t.hash = ${hashToken(token)}`);
  if (found === undefined) throw unauthenticated();
  if (found.stale) await touch(read, found.tokenId);
  return found;
}

/** A question who calls by a token. */
interface Asking {
  caller: Promise<Caller>;
  /** Until it is sent, at the end of the turn of the event loop, others may join it. */
  open: boolean;
  /** The question of those that came later. */
  next?: Promise<Caller>;
}

/**
 * The same, asking once for all calls of one token that arrive together. While a question is under way, those that come
 * wait and are asked for together next: each of them was here before its question was put, so none is told less than the
 * truth.
 */
export const createAuthenticate = (read: Read): ((header: string | undefined) => Promise<Caller>) => {
  const questions = new Map<string, Asking>();
  const ask = (header: string): Promise<Caller> => {
    const asking: Asking = { caller: authenticate(read, header), open: true };
    questions.set(header, asking);
    setImmediate(() => {
      asking.open = false;
    });
    const forget = () => {
      if (asking.next === undefined) questions.delete(header);
    };
    asking.caller.then(forget, forget);
    return asking.caller;
  };
  return (header = '') => {
    const asking = questions.get(header);
    if (asking === undefined) return ask(header);
    if (asking.open) return asking.caller;
    const again = () => ask(header);
    asking.next ??= asking.caller.then(again, again);
    return asking.next;
  };
};

/** Notes the use of a token; the condition keeps many calls of one minute down to one write. */
const touch = (read: Read, tokenId: string) =>
  read(sql`update api_token set last_used_at = now()
            where id = ${tokenId} and (last_used_at is null or last_used_at < now() - interval '1 minute')`);
