import { createPool } from '../../src/database/pools.js';
import { openHooks } from './open-hooks.js';

/** A process that delivers, for tests that kill it. Its database's address is its argument; it says `up` on stdout. */
const connectionString = process.argv[2]!;
const { hooks } = openHooks(createPool(connectionString, { max: 2 }), connectionString, {
  clock: Date.now,
  random: Math.random,
  schedule: [5000],
  timeout: 10_000,
});
process.once('SIGTERM', () => void hooks.close(5000).then(() => process.exit(0)));
await hooks.start();
process.stdout.write('up\n');
