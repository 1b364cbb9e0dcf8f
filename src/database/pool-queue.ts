import { availableParallelism } from 'node:os';
import type { Pool } from 'pg';
import { FairQueue } from '../fair-queue.js';
import { isLocal } from './priority.js';

/**
 * A fair queue for the connections of a pool: three quarters of them at most are one organization's. Where the database is on
 * this machine, one organization has no more than there are processors while others use the pool: with more, its statements only
 * take processors from those of others. Each call makes another.
 */
export const fairQueueFor = (pool: Pool, { waiting = 100, what = 'searches' } = {}): FairQueue => {
  const { max, connectionString } = pool.options;
  const each = Math.max(1, Math.floor((max * 3) / 4));
  const isBound = connectionString !== undefined && isLocal(connectionString);
  const eachBesideOthers = isBound ? Math.min(each, Math.max(2, availableParallelism())) : each;
  return new FairQueue({ turns: max, each, eachBesideOthers, waiting, what });
};
