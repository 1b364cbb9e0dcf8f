import { createPool } from '#database/pools.js';
import { openHooks } from './open-hooks.js';

/** Runs deliveries in a process that tests kill. The argument is the database's address; it prints `up` when ready. */
const connectionString = process.argv[2]!;
const { hooks } = openHooks(createPool(connectionString, { max: 2 }), connectionString, {
  clock: Date.now,
  random: Math.random,
  schedule: [5000],
  timeout: 10_000,
});
// The timeout is long, so that no call is cut off and repeated on a slow machine.
process.once('SIGTERM', () => void hooks.close(30_000).then(() => process.exit(0)));
await hooks.start();
process.stdout.write('up\n');
