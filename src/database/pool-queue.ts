import { availableParallelism } from 'node:os';
import type { Pool } from 'pg';
import { FairQueue } from '#scheduling/fair-queue.js';
import { isLocal } from './priority.js';

/**
 * Creates a fair queue for the connections of a pool, of which one organization gets at most three quarters. If the
 * database is on this machine and others use the pool, one organization gets at most as many as there are processors:
 * with more, its statements only take processor time from others. Each call creates another queue.
 */
export const fairQueueFor = (pool: Pool, { waiting = 100, what = 'searches' } = {}): FairQueue => {
  const { max, connectionString } = pool.options;
  const each = Math.max(1, Math.floor((max * 3) / 4));
  const isBound = connectionString !== undefined && isLocal(connectionString);
  const eachBesideOthers = isBound ? Math.min(each, Math.max(2, availableParallelism())) : each;
  return new FairQueue({ turns: max, each, eachBesideOthers, waiting, what });
};
