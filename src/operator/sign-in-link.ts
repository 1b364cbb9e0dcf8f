import { randomBytes } from 'node:crypto';
import sql from 'sql-template-tag';
import { hashToken } from '#auth/token.js';
import { isId } from '#entities/id.js';
import type { Connection } from './account.js';

/** Validity of a link, in milliseconds. */
const lifetime = 3_600_000;

/** Makes a link's token that signs a user in once, within an hour. A link that was made before no longer counts. */
export async function createSignInLink(db: Connection, userId: string, at: Date) {
  const found = isId(userId)
    ? await db.query<{ disabled: boolean }>(
        sql`select disabled from account where id = ${userId} and type = 'user' for no key update`,
      )
    : undefined;
  if (!found?.rows[0]) throw new Error(`There is no user ${userId}.`);
  if (found.rows[0].disabled) throw new Error(`The user ${userId} is disabled: enable it first.`);
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(at.getTime() + lifetime);
  await db.query(sql`delete from sign_in_link where user_id = ${userId}`);
  await db.query(
    sql`insert into sign_in_link (hash, user_id, expires_at) values (${hashToken(token)}, ${userId}, ${expiresAt})`,
  );
  return { token, expiresAt };
}
