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
// A call that is cut off is made again: on a slow machine, too, none is.
process.once('SIGTERM', () => void hooks.close(30_000).then(() => process.exit(0)));
await hooks.start();
process.stdout.write('up\n');
