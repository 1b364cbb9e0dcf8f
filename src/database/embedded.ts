import type { ChildProcess } from 'node:child_process';
import { totalmem } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '#common/log.js';
import { type Cluster, prepareCluster, ROLE } from './cluster.js';
import { isConnectionLoss } from './connection-loss.js';
import { findPostmaster } from './postmaster.js';
import { hasEnded, lastWords, type ServerSettings, startServer } from './server.js';

/** The embedded server while this process uses it. */
export interface Embedded {
  /** Address of its database `ddp`. */
  connectionString: string;
  /** Path of its data folder. */
  data: string;
  /** Stops using the server. The last process that uses it stops it. All other connections must be closed before. */
  close(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Folder of all files of the embedded server (DATA_DIR). */
  dataDir: string;
  log: Log;
  /** Number of connections that it must allow; at least 200. */
  connections?: number;
  /** Further settings of PostgreSQL. They take effect if this process starts the server. */
  settings?: ServerSettings;
  /** Whether committed data must survive a loss of power; true except in tests. */
  durable?: boolean;
}

/** This process's registration at the server: a connection that only holds {@link IN_USE}. */
interface ServerPlace {
  client: pg.Client;
  port: number;
}

/**
 * Advisory lock that every process holds shared while it uses the server. PostgreSQL releases it when the process dies,
 * however it dies, so a process that can take it exclusively is the last.
 */
const IN_USE = 337_873;

/** Maximum time to wait for a server to start, or to stop, in milliseconds. */
const startTimeout = 60_000;

/**
 * Number of starts that may fail before an error is reported. A start that loses a race against another process also
 * fails.
 */
const STARTS = 4;

/** Wait between rounds of failed starts while this process uses the server, in milliseconds. */
const restartPause = 2000;

const usualConnections = 200;

/** Memory of this machine, or of the control group that limits this process, in bytes. */
const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** An eighth of the memory, from 32 to 256 MiB. */
const sharedBuffers = Math.max(32, Math.min(256, Math.floor(memory / 8 / 2 ** 20)));

const ourSettings: ServerSettings = {
  shared_buffers: `${sharedBuffers}MB`,
  max_wal_size: '4GB',
  random_page_cost: '1.1',
  jit: 'off',
};

/**
 * Starts to use the embedded PostgreSQL of a data folder. It creates and starts the server if necessary, or joins one
 * that another process runs or that a killed process left running. If the server goes away later, it is joined or
 * started again, on the same port if that is free.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { log } = options;
  const cluster = await prepareCluster(options.dataDir, log, options.durable);
  const connections = Math.max(usualConnections, options.connections ?? 0);
  const settings = { ...ourSettings, max_connections: String(connections), ...options.settings };
  let leaving = false;
  let place: ServerPlace;

  const sit = async () => {
    place = await takePlace(cluster, settings);
    place.client.once('end', () => {
      if (leaving) return;
      log.error('Embedded PostgreSQL ended; starting it again');
      void sitAgain();
    });
    return place;
  };

  /** The cause of a failed start may be temporary, for example a full disk. */
  const sitAgain = async () => {
    while (!leaving) {
      try {
        await sit();
        return log.info('Embedded PostgreSQL runs again');
      } catch (error) {
        log.error({ err: error }, 'Embedded PostgreSQL does not start; trying again');
        await delay(restartPause, undefined, { ref: false });
      }
    }
  };

  const { client, port } = await sit();
  await ensureDatabase(client);
  return {
    connectionString: addressOf(cluster, port, ROLE),
    data: cluster.data,
    async close() {
      leaving = true;
      await leave(cluster, place.client);
    },
  };
}

/** Joins the running server, or starts one if none runs, until it accepts a connection. */
async function takePlace(cluster: Cluster, settings: ServerSettings): Promise<ServerPlace> {
  const until = Date.now() + startTimeout;
  let starting: ChildProcess | undefined;
  for (let starts = 0; Date.now() < until; await delay(25)) {
    const { port } = (await findPostmaster(cluster.data)) ?? {};
    if (port !== undefined) {
      const client = await join(addressOf(cluster, port, 'postgres'));
      if (client !== undefined) {
        starting?.unref();
        return { client, port };
      }
    } else if (starting === undefined || hasEnded(starting)) {
      if (++starts > STARTS) break;
      starting = await startServer(cluster, settings);
    }
  }
  throw new Error(`The embedded PostgreSQL in ${cluster.data} does not start:\n${await lastWords(cluster)}`);
}

/**
 * Opens a connection that holds {@link IN_USE}. Returns undefined if the server is still starting or already stopping.
 */
async function join(connectionString: string): Promise<pg.Client | undefined> {
  const client = new pg.Client({ connectionString, application_name: 'ddp in use', keepAlive: true });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select pg_advisory_lock_shared($1)', [IN_USE]);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    if (!isConnectionLoss(error)) throw error;
    return undefined;
  }
}

/**
 * Ends this process's use of the server, and stops it if this process was the last. While this process holds the lock
 * exclusively, no other process uses the server. A process that arrives now waits for the lock, loses its connection by
 * the stop, and starts the server again.
 */
async function leave({ data }: Cluster, client: pg.Client): Promise<void> {
  const last = await isLast(client).catch(() => false);
  const server = last ? await findPostmaster(data) : undefined;
  // Fast shutdown: PostgreSQL rolls open transactions back, disconnects all clients and writes everything to disk.
  if (server !== undefined) process.kill(server.pid, 'SIGINT');
  await client.end().catch(() => undefined);
  for (const until = Date.now() + startTimeout; server !== undefined && Date.now() < until; await delay(20)) {
    if ((await findPostmaster(data))?.pid !== server.pid) return;
  }
}

async function isLast(client: pg.Client): Promise<boolean> {
  await client.query('select pg_advisory_unlock_shared($1)', [IN_USE]);
  const { rows } = await client.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [IN_USE]);
  return rows[0]?.alone === true;
}

async function ensureDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [ROLE]);
  if (rowCount !== 0) return;
  await client.query(`create database ${ROLE}`).catch((error: unknown) => {
    // Another process that started at the same time has created it (duplicate_database, or the catalogue's unique key).
    if (!(error instanceof pg.DatabaseError && (error.code === '42P04' || error.code === '23505'))) throw error;
  });
}

const addressOf = ({ password }: Cluster, port: number, database: string): string =>
  `postgresql://${ROLE}:${password}@127.0.0.1:${port}/${database}`;
