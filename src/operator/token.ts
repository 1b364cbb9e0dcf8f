import sql from 'sql-template-tag';
import { hashToken, newToken, tokenPrefix } from '../auth/token.js';
import { AccountType, TokenScope } from '../entities/enums.js';
import { isId, newId } from '../entities/id.js';
import { type Connection, checkName, createAccount } from './account.js';

/** What an operator says of a new token. */
export interface NewToken {
  organizationId: string;
  /** The member that it acts as; without one it acts as the organization itself. */
  userId?: string | undefined;
  scope?: TokenScope | undefined;
  name?: string | undefined;
  /** When it stops to count. */
  expiresAt?: Date | undefined;
}

/** Makes a token. It is given here once and stored only as its hash. Throws a sentence where a value is wrong. */
export async function createToken(
  db: Connection,
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
  await db.query(sql`
    insert into api_token (id, organization_id, user_id, name, scope, hash, prefix, created_at, expires_at)
    values (${id}, ${organizationId}, ${userId ?? null}, ${name ?? null}, ${scope}, ${hashToken(token)},
      ${tokenPrefix(token)}, ${at}, ${expiresAt ?? null})`);
  return { id, token };
}

/** Ends a token for good. Ending it again changes nothing. */
export async function revokeToken(db: Connection, id: string, at: Date): Promise<void> {
  const { rowCount } = isId(id)
    ? await db.query(sql`update api_token set revoked_at = coalesce(revoked_at, ${at}) where id = ${id}`)
    : { rowCount: 0 };
  if (rowCount === 0) throw new Error(`There is no token ${id}.`);
}

/** An hour is more than the demonstration takes. Milliseconds. */
const DEMO = 3_600_000;

/** Makes a token of an organization; unless one is given of `demo`, which is made where there is none. */
export async function createDemoToken(
  db: Connection,
  at: Date,
  organizationId?: string,
): Promise<{ id: string; token: string }> {
  const id = organizationId ?? (await demoOrganization(db, at));
  return createToken(db, { organizationId: id, name: 'Demonstration', expiresAt: new Date(at.getTime() + DEMO) }, at);
}

async function demoOrganization(db: Connection, at: Date): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    sql`select id from account where username = 'demo' and type = 'organization' and not disabled`,
  );
  const account = { username: 'demo', email: 'demo@example.com', name: 'Demo' };
  return rows[0]?.id ?? (await createAccount(db, AccountType.organization, account, at));
}
