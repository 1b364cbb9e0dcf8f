import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sql, { type Sql } from 'sql-template-tag';
import { createAuthenticate } from '#auth/authenticate.js';
import { createPool } from '#database/pools.js';
import { createReader, type Reader } from '#database/reader.js';
import { AccountType } from '#entities/enums.js';
import { createAccount } from '#operator/account.js';
import { createToken } from '#operator/token.js';
import type { Read } from '#schema/context.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();
let reader: Reader;

beforeAll(() => {
  reader = createReader(database.url, 5000);
});

afterAll(() => reader.close());

/** Creates a token, and a function that revokes it. */
const makeToken = async (): Promise<{ header: string; revoke(): Promise<unknown> }> => {
  const pool = createPool(database.url, { max: 1 });
  try {
    const account = { username: 'acme', email: 'acme@example.com' };
    const organizationId = await createAccount(pool, AccountType.organization, account, new Date());
    const { token } = await createToken(pool, { organizationId }, new Date());
    return { header: `Bearer ${token}`, revoke: () => reader.read(sql`update api_token set revoked_at = now()`) };
  } finally {
    await pool.end();
  }
};

describe('token lookup for concurrent calls', () => {
  it('answers the calls that came before it, and none that came while it ran', async () => {
    const { header, revoke } = await makeToken();
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    const { promise: first, resolve: answered } = Promise.withResolvers<undefined>();
    let questions = 0;
    const read: Read = async <Row extends object>(query: Sql) => {
      const isFirst = ++questions === 1;
      const rows = await reader.read<Row>(query);
      if (isFirst) {
        answered(undefined);
        await held;
      }
      return rows;
    };
    const authenticate = createAuthenticate(read);
    const early = [authenticate(header), authenticate(header)];
    await first;
    const before = questions;
    await revoke();
    const late = Array.from({ length: 5 }, () => authenticate(header));
    release(undefined);
    expect(await Promise.all(early)).toHaveLength(2);
    for (const { status } of await Promise.allSettled(late)) expect(status).toBe('rejected');
    // The five calls share one lookup. Another statement may note the last use of the token.
    expect(questions - before).toBeLessThanOrEqual(2);
  });
});
