import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@opensearch-project/opensearch';
import type { Pool } from 'pg';
import { unavailable } from '../../errors.js';
import type { IndexNames } from './indices.js';
import { isWaiting, lastBatch } from './journal/claim.js';

/** A search waits so long for the index, in milliseconds. */
const longest = 30_000;
/** Longest time between two looks, in milliseconds. */
const longestPause = 100;

/** What waiting works with. */
export interface FreshnessOptions {
  pool: Pool;
  client: Client;
  names: IndexNames;
  /** Has the indexer of this process look at once. */
  wake(): void;
}

/**
 * Makes the function that resolves when a search finds every record of an organization that was committed before it was
 * called. It throws 503 where the index is too far behind.
 */
export const createFreshness =
  ({ pool, client, names, wake }: FreshnessOptions) =>
  async (organizationId: string, signal?: AbortSignal): Promise<void> => {
    const last = await lastBatch(pool, organizationId);
    if (last !== undefined) {
      wake();
      const end = performance.now() + longest;
      for (let pause = 4; await isWaiting(pool, organizationId, last); pause = Math.min(pause * 2, longestPause)) {
        if (performance.now() > end) throw unavailable('The index is behind what was stored. Try again shortly.');
        await delay(pause, undefined, { ...(signal && { signal }) });
      }
    }
    await client.indices.refresh({ index: names.all, ignore_unavailable: true, allow_no_indices: true });
  };
