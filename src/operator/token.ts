import sql from 'sql-template-tag';
import { hashToken, newToken, tokenPrefix } from '#auth/token.js';
import { hourMs } from '#common/time.js';
import type { Queryable } from '#database/queryable.js';
import { AccountType, TokenScope } from '#entities/enums.js';
import { isId, newId } from '#entities/id.js';
import { checkName, createAccount } from './account.js';
import { withEvents } from './event.js';

export interface NewToken {
  organizationId: string;
  /** The member that the token acts as; without one it acts as the organization itself. */
  userId?: string | undefined;
  scope?: TokenScope | undefined;
  name?: string | undefined;
  /** Time at which the token expires. */
  expiresAt?: Date | undefined;
}

/**
 * Creates a token. Only its hash is stored; the token itself is returned only here. Throws with an explanation when a
 * value is invalid.
 */
export async function createToken(
  db: Queryable,
  { organizationId, userId, scope = TokenScope.full, name, expiresAt }: NewToken,
  at: Date,
): Promise<{ id: string; token: string }> {
  checkName(name);
  const found = isId(organizationId)
    ? await db.query(sql`select from account where id = ${organizationId} and type = 'organization'`)
    : undefined;
  if (!found?.rowCount) throw new Error(`There is no organization ${organizationId}.`);
  if (userId !== undefined) {
    const member = isId(userId)
      ? await db.query(sql`select from membership where organization_id = ${organizationId} and user_id = ${userId}`)
      : undefined;
    if (!member?.rowCount) throw new Error(`${userId} is not a member of the organization ${organizationId}.`);
  }
  const id = newId();
  const token = newToken();
  const inserted = sql`
    insert into api_token (id, organization_id, user_id, name, scope, hash, prefix, created_at, expires_at)
    values (${id}, ${organizationId}, ${userId ?? null}, ${name ?? null}, ${scope}, ${hashToken(token)},
      ${tokenPrefix(token)}, ${at}, ${expiresAt ?? null})`;
  await db.query(
    withEvents(inserted, {
      organizationId,
      action: 'token create',
      target: { kind: 'token', id, name: name ?? tokenPrefix(token) },
      changes: {
        token: [null, 'changed'],
        scope: [null, scope],
        ...(userId !== undefined && { userId: [null, userId] }),
        ...(expiresAt !== undefined && { expiresAt: [null, expiresAt.toISOString()] }),
      },
    }),
  );
  return { id, token };
}

/** Revokes a token permanently. Revoking it again changes nothing. */
export async function revokeToken(db: Queryable, id: string, at: Date): Promise<void> {
  const { rows } = isId(id)
    ? await db.query<{ organizationId: string; name: string; isRevoked: boolean }>(sql`
        select organization_id as "organizationId", coalesce(name, prefix) as name, revoked_at is not null as "isRevoked"
          from api_token where id = ${id}`)
    : { rows: [] };
  const [found] = rows;
  if (found === undefined) throw new Error(`There is no token ${id}.`);
  const { organizationId, name, isRevoked } = found;
  await db.query(
    withEvents(sql`update api_token set revoked_at = coalesce(revoked_at, ${at}) where id = ${id}`, {
      organizationId,
      action: 'token revoke',
      target: { kind: 'token', id, name },
      changes: isRevoked ? {} : { revoked: [false, true] },
    }),
  );
}

/** Lifetime of the demonstration's token in milliseconds, more than the demonstration takes. */
const DEMO = hourMs;

/** Creates a token of the given organization or, without one, of `demo`, which is created if it does not exist. */
export async function createDemoToken(
  db: Queryable,
  at: Date,
  organizationId?: string,
): Promise<{ id: string; token: string }> {
  const id = organizationId ?? (await demoOrganization(db, at));
  return createToken(db, { organizationId: id, name: 'Demonstration', expiresAt: new Date(at.getTime() + DEMO) }, at);
}

async function demoOrganization(db: Queryable, at: Date): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    sql`select id from account where username = 'demo' and type = 'organization' and not disabled`,
  );
  const account = { username: 'demo', email: 'demo@example.com', name: 'Demo' };
  return rows[0]?.id ?? (await createAccount(db, AccountType.organization, account, at));
}
