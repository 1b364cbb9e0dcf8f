import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { addressOf, execute } from './server.js';

/** A database of the test file's own. */
export interface TestDatabase {
  /** Its address, from the first `beforeAll` of the file on. */
  readonly url: string;
}

/**
 * Gives the test file a database of its own, cloned from the migrated template before its tests and dropped after
 * them. Call it at the top of the file, before the hooks that need its address.
 *
 * ```ts
 * const database = useDatabase();
 * let pool: pg.Pool;
 * beforeAll(() => { pool = createPool(database.url); });
 * afterAll(() => pool.end());
 * ```
 */
export function useDatabase(): TestDatabase {
  let url: string | undefined;
  let drop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    ({ url, drop } = await createDatabase());
  });
  afterAll(() => drop?.());
  return {
    get url() {
      if (url === undefined) throw new Error('The database is made in beforeAll; ask for its address after that.');
      return url;
    },
  };
}

/** Clones the template. `template: false` gives an empty database, as migrations find it on first use. */
export async function createDatabase({ template = true } = {}): Promise<{ url: string; drop(): Promise<void> }> {
  const server = required('DDP_TEST_SERVER');
  const name = `ddp_test_${randomBytes(6).toString('hex')}`;
  await execute(server, `create database ${name}${template ? ` template ${required('DDP_TEST_TEMPLATE')}` : ''}`);
  return { url: addressOf(server, name), drop: () => execute(server, `drop database ${name} with (force)`) };
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run the tests with npm test.`);
  return value;
}
