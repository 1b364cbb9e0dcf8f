import { join } from 'node:path';
import { isatty } from 'node:tty';
import type { Pool } from 'pg';
import { keepConsoleAssets } from '#app/console-assets.js';
import type { ServicesOptions } from '#app/services.js';
import { startWorkers } from '#app/workers/primary.js';
import { connectionsOfWorkers, fitWorkers, spareConnections, wantedWorkers } from '#app/workers/worker-count.js';
import { requireSecretKey } from '#calls/stored-secret.js';
import type { Log } from '#common/log.js';
import { keepSecret } from '#common/secret-file.js';
import type { Config } from '#config/config.js';
import { type Database, openDatabase } from '#database/database.js';
import { createPool } from '#database/pools.js';
import { prepareDatabase } from '#database/prepare.js';
import { checkListenAddress } from '#http/listen.js';
import {
  createFirstOrganization,
  type FirstOrganization,
  findFirstOrganization,
  type NamedOrganization,
} from '#operator/first-organization.js';
import { stopService } from '#runtime/stop.js';

/** A running service. */
export interface Running {
  url: string;
  /** Address where devices publish over MQTT; undefined when MQTT is off. */
  mqttUrl: string | undefined;
  /** The organization created at the first start; only on the embedded database. */
  first: FirstOrganization | undefined;
  /** The oldest organization; undefined when there is none. */
  organization: NamedOrganization | undefined;
  /** Replaces the processes one after another while the others serve; undefined with a single process. */
  restart: (() => Promise<void>) | undefined;
  /** Rejects when the service cannot continue. */
  failure: Promise<never>;
  /** Shuts down in order: new requests, requests in flight, deliveries, connections, and last the embedded server. */
  close(): Promise<void>;
}

/** Opens the database, migrates it and starts the service. When a step fails, the steps before it are undone. */
export async function start(config: Config, log: Log): Promise<Running> {
  await checkListenAddress(config);
  if (config.mqtt !== undefined) await checkListenAddress({ host: config.host, port: config.mqtt.port }, 'MQTT_PORT');
  const wanted = wantedWorkers(config);
  const database = await openDatabase(
    config,
    log,
    connectionsOfWorkers(wanted, config.databaseConnections) + 2 * spareConnections,
  );
  log.info({ database: database.place, embedded: database.embedded }, 'Database opened');
  try {
    await prepareDatabase(database.connectionString, log);
    const first = database.embedded ? await furnish(database) : undefined;
    const secretKeys = await secretKeysOf(config, database);
    const { fitted, organization } = await withPool(database, async (pool) => {
      await requireSecretKey(pool, secretKeys);
      await keepConsoleAssets(pool, new Date());
      return { fitted: await fitWorkers(config, wanted, pool, log), organization: await findFirstOrganization(pool) };
    });
    const { connectionString } = database;
    const { workers, databaseConnections } = fitted;
    const allowed = { ...(database.embedded ? withLoopback(config, log) : config), databaseConnections };
    const processes = await startProcesses(workers, { config: allowed, connectionString, secretKeys, log });
    return {
      ...processes,
      first,
      organization,
      async close() {
        await processes.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Starts the service in this process, or its workers. They do not know how the database is run. */
async function startProcesses(
  count: number,
  options: ServicesOptions,
): Promise<Omit<Running, 'first' | 'organization'>> {
  if (count > 1) {
    options.log.info({ workers: count }, 'Starting workers');
    return startWorkers({ ...options, count });
  }
  // The service is most of the program. The primary of several workers does not load it.
  const [{ startService }, { usualTime }] = await Promise.all([import('#app/app.js'), import('#app/warm-up.js')]);
  const service = await startService({ ...options, warm: usualTime });
  return {
    url: service.url,
    mqttUrl: service.mqttUrl,
    restart: undefined,
    failure: new Promise(() => undefined),
    close() {
      service.drain();
      return stopService(service, options.config.http.stopDelay, options.log);
    },
  };
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

/**
 * Returns the keys of stored secrets. On the embedded database the service creates the key itself and keeps it beside
 * the data.
 */
async function secretKeysOf({ secretKeys, dataDir }: Config, { embedded }: Database): Promise<readonly string[]> {
  return embedded && secretKeys.length === 0 ? [await keepSecret(join(dataDir, 'secret.key'))] : secretKeys;
}

/**
 * Allows hooks to call loopback addresses. The embedded database implies a developer's machine, on which the receivers
 * run too.
 */
function withLoopback(config: Config, log: Log): Config {
  log.info('Hooks may call this machine itself (loopback), because the database is embedded');
  const allowCidrs = [...config.hooks.allowCidrs, '127.0.0.0/8', '::1/128'];
  return { ...config, hooks: { ...config.hooks, allowCidrs } };
}

/**
 * Calls `restart` at each SIGHUP. Resolves when a SIGHUP comes because the terminal that the service was started in has
 * closed.
 */
export function heedHangUp(restart: () => Promise<void>): Promise<'SIGHUP'> {
  const hadTerminal = isatty(0);
  return new Promise((resolve) => {
    process.on('SIGHUP', () => {
      if (hadTerminal && !isatty(0)) resolve('SIGHUP');
      else void restart();
    });
  });
}

/**
 * Time after the first signal in which another one counts as the same, in milliseconds: npm passes on a Ctrl-C that the
 * process got as well.
 */
const SAME_SIGNAL = 150;

/**
 * Resolves at the first SIGTERM or SIGINT. A second one ends the process at once; its unfinished work is done at the
 * next start.
 */
export function awaitSignal(log: Log): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let first: number | undefined;
  const handle = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = performance.now();
      log.info({ signal }, 'Stopping; requests in flight are finished');
      return resolve(signal);
    }
    if (performance.now() - first < SAME_SIGNAL) return;
    log.warn({ signal }, 'Second signal: ending at once');
    process.exit(1);
  };
  process.on('SIGTERM', handle).on('SIGINT', handle);
  return promise;
}
