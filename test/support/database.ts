import { beforeAll } from '@jest/globals';
import { createDatabase } from './server.js';

/** A database of the test file's own. */
export interface TestDatabase {
  /** Its address, from the first `beforeAll` of the file on. */
  readonly url: string;
}

/**
 * Gives the test file a database of its own, cloned from the migrated template before its tests. It is dropped at the
 * end of the run, when whatever used it has let go (Jest runs what comes after tests in the order of its definition).
 * Call it at the top of the file, before the hooks that need its address.
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
