import { beforeAll } from '@jest/globals';
import { createDatabase } from './server.js';

/** A database that only this test file uses. */
export interface TestDatabase {
  /** Address of the database, available from the first `beforeAll` of the file. */
  readonly url: string;
}

/**
 * Gives the test file a database of its own, cloned from the migrated template before its tests. It is dropped at the
 * end of the run, when nothing uses it any more (Jest runs after-hooks in the order of their definition). Call this at
 * the top of the file, before the hooks that need the address.
 * ```ts
 * const database = useDatabase();
 * let pool: pg.Pool;
 * beforeAll(() => { pool = createPool(database.url); });
 * afterAll(() => pool.end());
 * ```
 */
export function useDatabase(): TestDatabase {
  let url: string | undefined;
  beforeAll(async () => {
    url = await createDatabase();
  });
  return {
    get url() {
      if (url === undefined) throw new Error('The database is made in beforeAll; ask for its address after that.');
      return url;
    },
  };
}
