import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { AccountType } from '#entities/enums.js';
import { createAccount } from './account.js';

/** The user who owns the first organization. */
export const firstOwner = { username: 'demo-ada', email: 'demo-ada@example.com', name: 'Ada' };

const users = [firstOwner, { username: 'demo-grace', email: 'demo-grace@example.com', name: 'Grace' }];

/**
 * Creates two users for trying members and teams, unless a user exists already. Returns the identifiers of the new
 * users.
 */
export async function createFirstUsers(db: Queryable, at: Date): Promise<string[]> {
  const { rowCount } = await db.query(sql`
    select from account where type = 'user' or username = any(${users.map(({ username }) => username)}) limit 1`);
  if (rowCount !== 0) return [];
  const ids: string[] = [];
  for (const user of users) ids.push(await createAccount(db, AccountType.user, user, at));
  return ids;
}
