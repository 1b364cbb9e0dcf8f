import type { EntityManager } from '@mikro-orm/postgresql';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { targetOf } from '#audit/fields.js';
import { change } from '#auth/execute.js';
import { hashToken, newLinkToken, newToken, tokenPrefix } from '#auth/token.js';
import { invalid, notFound } from '#common/errors.js';
import { ApiToken, type NewApiToken } from '#entities/api-token.js';
import { isId, newId } from '#entities/id.js';
import type { Context } from '#schema/context.js';
import { ignoringCase } from './list.js';
import type { Listing } from './list-read.js';

/** Published columns of a token, `k`. The hash is not among them. */
export const tokenColumns: Sql = sql`
  k.id, k.organization_id as "organizationId", k.user_id as "userId", k.device_id as "deviceId",
  k.product_id as "productId", k.application_id as "applicationId", k.name, k.scope, k.prefix,
  k.created_at as "createdAt", k.last_used_at as "lastUsedAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt"`;

/**
 * Condition for tokens of the organization itself. Tokens of devices and products may be very many, so they are listed
 * only with their device or product, and those of links with their application.
 */
export const ofOrganization: Sql = sql`k.device_id is null and k.product_id is null and k.application_id is null`;

export const tokenListing = (where: readonly Sql[]): Listing => ({
  rows: (_selected, also = empty) => sql`select ${tokenColumns}${also} from api_token k`,
  from: sql`from api_token k`,
  where,
  matched: [sql`k.name`],
  sortable: {
    id: sql`k.id`,
    name: ignoringCase(sql`k.name`),
    scope: sql`k.scope`,
    prefix: sql`k.prefix`,
    createdAt: sql`k.created_at`,
    lastUsedAt: sql`k.last_used_at`,
    expiresAt: sql`k.expires_at`,
    revokedAt: sql`k.revoked_at`,
  },
  order: sql`k.id`,
  tie: sql`k.id`,
});

/** Values of a new token. */
interface TokenValues
  extends Pick<ApiToken, 'organizationId' | 'userId' | 'deviceId' | 'productId' | 'applicationId' | 'scope' | 'name'> {
  expiresAt?: Date | null | undefined;
}

/**
 * Creates a token.
 * @param now milliseconds since the epoch.
 * @throws invalid when the token would already have expired.
 */
export async function makeToken(
  em: EntityManager,
  { expiresAt, ...values }: TokenValues,
  now: number,
): Promise<NewApiToken> {
  if (expiresAt != null && expiresAt.getTime() <= now) {
    throw invalid([{ path: 'expiresAt', message: 'must be in the future' }]);
  }
  const token = values.applicationId == null ? newToken() : newLinkToken();
  const apiToken = Object.assign(new ApiToken(), {
    ...values,
    id: newId(),
    hash: hashToken(token),
    prefix: tokenPrefix(token),
    expiresAt: expiresAt?.toISOString(),
  });
  await em.persist(apiToken).flush();
  return { token, apiToken };
}

/**
 * Revokes a token permanently. Revoking it again changes nothing.
 * @param where conditions on the token `k`.
 * @throws notFound when no token meets them.
 */
export async function endToken(ctx: Context, id: string, where: readonly Sql[]): Promise<ApiToken> {
  if (!isId(id)) throw notFound('token');
  const which = join([sql`k.id = ${id}`, ...where], ' and ');
  const read = () => ctx.read<ApiToken>(sql`select ${tokenColumns} from api_token k where ${which}`);
  const [found] = await read();
  if (found === undefined) throw notFound('token');
  await change(
    ctx,
    sql`update api_token k set revoked_at = now() where ${which} and revoked_at is null`,
    targetOf('ApiToken', found),
    { revoked: [false, true] },
  );
  const [token] = await read();
  // Deleted meanwhile with its device.
  if (token === undefined) throw notFound('token');
  return token;
}
