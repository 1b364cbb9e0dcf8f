import { join } from 'node:path';
import { isatty } from 'node:tty';
import type { Pool } from 'pg';
import { startService } from './app.js';
import type { Config } from './config.js';
import { type Database, openDatabase } from './database/database.js';
import { createPool } from './database/pools.js';
import { requireSecretKey } from './hooks/stored-secret.js';
import { checkListenAddress } from './listen.js';
import type { Log } from './log.js';
import {
  createFirstOrganization,
  type FirstOrganization,
  findFirstOrganization,
  type NamedOrganization,
} from './operator/first-organization.js';
import { prepareDatabase } from './prepare.js';
import { keepSecret } from './secret-file.js';
import type { ServicesOptions } from './services.js';
import { stopService } from './stop.js';
import { usualTime } from './warm-up.js';
import { startWorkers } from './workers/primary.js';
import { connectionsOfWorkers, fitWorkers, spareConnections, wantedWorkers } from './workers/worker-count.js';

/** A service that runs. */
export interface Running {
  url: string;
  /** Where devices publish over MQTT; undefined where that is off. */
  mqttUrl: string | undefined;
  /** What was made because there was nothing yet; only on the embedded database. */
  first: FirstOrganization | undefined;
  /** The organization that was made first; undefined where there is none. */
  organization: NamedOrganization | undefined;
  /** Replaces the processes one after another, while others serve; undefined where there is one process only. */
  restart: (() => Promise<void>) | undefined;
  /** Rejects when it cannot go on. */
  failure: Promise<never>;
  /** Ends it in order: no new requests, those in flight, deliveries, connections, and the embedded server if last. */
  close(): Promise<void>;
}

/** Opens the database, brings it up to date and starts the service. What was begun is undone where a step fails. */
export async function start(config: Config, log: Log): Promise<Running> {
  await checkListenAddress(config);
  if (config.mqtt !== undefined) await checkListenAddress({ host: config.host, port: config.mqtt.port }, 'MQTT_PORT');
  const wanted = wantedWorkers(config);
  const database = await openDatabase(config, log, connectionsOfWorkers(config, wanted) + 2 * spareConnections);
  log.info({ database: database.place, embedded: database.embedded }, 'Opened the database.');
  try {
    await prepareDatabase(database.connectionString, log);
    const first = database.embedded ? await furnish(database) : undefined;
    const secretKeys = await secretKeysOf(config, database);
    const { count, organization } = await withPool(database, async (pool) => {
      await requireSecretKey(pool, secretKeys);
      return { count: await fitWorkers(config, wanted, pool, log), organization: await findFirstOrganization(pool) };
    });
    const { connectionString } = database;
    const allowed = database.embedded ? withLoopback(config, log) : config;
    const processes = await startProcesses(count, { config: allowed, connectionString, secretKeys, log });
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

/** The service itself where it is one process, else its workers; none of them knows how the database is run. */
async function startProcesses(
  count: number,
  options: ServicesOptions,
): Promise<Omit<Running, 'first' | 'organization'>> {
  if (count > 1) {
    options.log.info({ workers: count }, 'Starting workers.');
    return startWorkers({ ...options, count });
  }
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

/**
 * Calls this at each SIGHUP; resolves where one comes because the terminal is gone that the service was started at.
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
