import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@opensearch-project/opensearch';
import type { Pool } from 'pg';
import { unavailable } from '../../errors.js';
import type { IndexNames } from './indices.js';
import { isWaiting, lastBatch } from './journal/claim.js';

/** Who names no other time waits so long for the index, in milliseconds. */
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

/** How long to wait, and for whom. */
export interface FreshnessWait {
  /** Milliseconds. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Makes the function that resolves when a search finds every record of an organization that was committed before it was
 * called. It throws 503 where the index is too far behind.
 */
export const createFreshness =
  ({ pool, client, names, wake }: FreshnessOptions) =>
  async (organizationId: string, { timeoutMs = longest, signal }: FreshnessWait = {}): Promise<void> => {
    const end = performance.now() + timeoutMs;
    const last = await lastBatch(pool, organizationId);
    if (last !== undefined) {
      wake();
      for (let pause = 4; await isWaiting(pool, organizationId, last); pause = Math.min(pause * 2, longestPause)) {
        if (performance.now() > end) throw unavailable('The index is behind what was stored. Try again shortly.');
        await delay(pause, undefined, { ...(signal && { signal }) });
      }
    }
    const requestTimeout = Math.max(1, Math.ceil(end - performance.now()));
    await client.indices.refresh(
      { index: names.all, ignore_unavailable: true, allow_no_indices: true },
      { requestTimeout },
    );
  };
