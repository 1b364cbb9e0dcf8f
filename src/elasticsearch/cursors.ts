import type { Pool } from 'pg';
import { createScrollTable, type ScrollTable } from './scroll-table.js';
import { createSignedIds, type SignedIds } from './signed-id.js';

/** Signs the identifiers of scrolls and points in time, and stores the positions of scrolls. */
export interface Cursors {
  readonly ids: SignedIds;
  readonly scrolls: ScrollTable;
}

/**
 * Creates the cursors over a pool.
 * @param keys values of SECRET_KEY, the newest first
 */
export const openCursors = (pool: Pool, clock: () => number, keys: readonly string[]): Cursors => ({
  ids: createSignedIds(keys),
  scrolls: createScrollTable(pool, clock),
});
