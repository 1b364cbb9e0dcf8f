import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@opensearch-project/opensearch';
import type { Pool } from 'pg';
import { unavailable } from '#common/errors.js';
import type { IndexNames } from './indices.js';
import { isWaiting, lastBatch } from './journal/claim.js';

/** Default maximum wait for the index, in milliseconds. */
const longest = 30_000;
/** Maximum time between two checks, in milliseconds. */
const longestPause = 100;

export interface FreshnessOptions {
  pool: Pool;
  client: Client;
  names: IndexNames;
  /** Makes the indexer of this process poll at once. */
  wake(): void;
}

/** Time limit and signal of one wait. */
export interface FreshnessWait {
  /** Milliseconds. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Creates the function that resolves when searches find every record of an organization that was committed before the
 * call. It throws ApiError 503 if the index is too far behind.
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
