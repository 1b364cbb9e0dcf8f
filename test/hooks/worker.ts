import { Registry } from 'prom-client';
import { createPool } from '../../src/database/pools.js';
import { createHooks, dispatcherSession } from '../../src/hooks/hooks.js';
import { createLog } from '../../src/log.js';
import { scanRecords } from '../../src/records/scan.js';
import { matchRecords } from '../../src/records/search/match.js';

/** A process that delivers, for tests that kill it. Its database's address is its argument; it says `up` on stdout. */
const connectionString = process.argv[2]!;
const hooks = createHooks({
  pool: createPool(connectionString, { max: 2 }),
  dispatcherPool: createPool(connectionString, { max: 4, session: dispatcherSession }),
  clock: Date.now,
  random: Math.random,
  log: createLog('fatal'),
  secretKeys: ['a key for tests'],
  schedule: [5000],
  timeout: 10_000,
  addresses: { allow: ['127.0.0.0/8'], deny: [] },
  httpsOnly: false,
  retention: 30 * 24 * 3600_000,
  registry: new Registry(),
  match: matchRecords,
  scan: scanRecords,
});
process.once('SIGTERM', () => void hooks.close(5000).then(() => process.exit(0)));
await hooks.start();
process.stdout.write('up\n');
