import type pg from 'pg';
import { Registry } from 'prom-client';
import { createLog } from '#common/log.js';
import { createPool } from '#database/pools.js';
import { createHooks, dispatcherSession, type Hooks, type HooksOptions } from '#hooks/hooks.js';
import { countRecords, scanRecords } from '#records/postgres/log/scan.js';
import { matchRecords } from '#records/postgres/search/match.js';

/** Opens hook delivery on a database with loopback allowed. The caller starts and closes it. */
export function openHooks(
  pool: pg.Pool,
  connectionString: string,
  options: Pick<HooksOptions, 'clock' | 'random' | 'schedule' | 'timeout'> & Partial<HooksOptions>,
): { hooks: Hooks; dispatcherPool: pg.Pool } {
  const dispatcherPool = createPool(connectionString, { max: 4, session: dispatcherSession });
  const hooks = createHooks({
    pool,
    dispatcherPool,
    log: createLog('fatal'),
    secretKeys: ['a key for tests'],
    addresses: { allow: ['127.0.0.0/8'], deny: [] },
    httpsOnly: false,
    retention: 30 * 24 * 3600_000,
    match: matchRecords,
    lookups: 8,
    scan: scanRecords,
    count: countRecords,
    registry: new Registry(),
    ...options,
  });
  return { hooks, dispatcherPool };
}
