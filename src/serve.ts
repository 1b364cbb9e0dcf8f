import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { startService } from './app.js';
import type { Config } from './config.js';
import { type Database, openDatabase } from './database/database.js';
import { createPool } from './database/pools.js';
import { requireSecretKey } from './hooks/stored-secret.js';
import { checkListenAddress } from './http-server.js';
import type { Log } from './log.js';
import { createFirstOrganization, type FirstOrganization } from './operator/first-organization.js';
import { prepareDatabase } from './prepare.js';
import { keepSecret } from './secret-file.js';

/** A service that runs. */
export interface Running {
  url: string;
  /** What was made because there was nothing yet; only on the embedded database. */
  first: FirstOrganization | undefined;
  /** Ends it in order: no new requests, those in flight, deliveries, connections, and the embedded server if last. */
  close(): Promise<void>;
}

/** Longer than a service takes to end in order, whatever hangs. Milliseconds. */
const stopTimeout = 15_000;

/** Opens the database, brings it up to date and starts the service. What was begun is undone where a step fails. */
export async function start(config: Config, log: Log): Promise<Running> {
  await checkListenAddress(config);
  const database = await openDatabase(config, log);
  log.info({ database: database.place, embedded: database.embedded }, 'Opened the database.');
  try {
    await prepareDatabase(database.connectionString, log);
    const first = database.embedded ? await furnish(database) : undefined;
    const secretKeys = await secretKeysOf(config, database);
    await withPool(database, (pool) => requireSecretKey(pool, secretKeys));
    const service = await startService({
      config: database.embedded ? withLoopback(config, log) : config,
      connectionString: database.connectionString,
      secretKeys,
      log,
    });
    return {
      url: service.url,
      first,
      async close() {
        service.drain();
        await delay(config.http.stopDelay);
        const closed = service.close().then(() => true);
        const inTime = await Promise.race([closed, delay(stopTimeout, false, { ref: false })]);
        if (!inTime) log.error('The service did not end in order; what it left undone is done at the next start.');
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

const furnish = (database: Database): Promise<FirstOrganization | undefined> =>
  withPool(database, (pool) => createFirstOrganization(pool, new Date()));

async function withPool<Result>(
  { connectionString }: Database,
  work: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const pool = createPool(connectionString, { max: 1 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** On the embedded database the key of stored secrets is made by us and kept beside the data. */
async function secretKeysOf({ secretKeys, dataDir }: Config, { embedded }: Database): Promise<readonly string[]> {
  return embedded && secretKeys.length === 0 ? [await keepSecret(join(dataDir, 'secret.key'))] : secretKeys;
}

/** The embedded database means a developer's machine, whose hooks call receivers on the machine itself. */
function withLoopback(config: Config, log: Log): Config {
  log.info('Hooks may call this machine itself (loopback), because the database is the embedded one.');
  const allowCidrs = [...config.hooks.allowCidrs, '127.0.0.0/8', '::1/128'];
  return { ...config, hooks: { ...config.hooks, allowCidrs } };
}

/** How soon after the first a second signal is still the same one: npm passes on the Ctrl-C that we got as well. */
const SAME_SIGNAL = 150;

/**
 * Resolves with the first SIGTERM or SIGINT. A second one ends the process at once; what it left undone is done at the
 * next start.
 */
export function awaitSignal(log: Log): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let first: number | undefined;
  const heed = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = performance.now();
      log.info(`${signal}: finishing what is in flight.`);
      return resolve(signal);
    }
    if (performance.now() - first < SAME_SIGNAL) return;
    log.warn(`${signal} again: ending at once.`);
    process.exit(1);
  };
  process.on('SIGTERM', heed).on('SIGINT', heed);
  return promise;
}
