import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../log.js';
import { type Cluster, prepareCluster, ROLE } from './cluster.js';
import { isConnectionLoss } from './loss.js';
import { findPostmaster } from './postmaster.js';
import { hasEnded, lastWords, type ServerSettings, startServer } from './server.js';

/** The embedded server in use by this process. */
export interface Embedded {
  /** Address of the database `ddp` on it. */
  connectionString: string;
  /** Where its data lie. */
  data: string;
  /** Leaves the server; the last of all processes that use it stops it. Close every other connection first. */
  close(): Promise<void>;
}

/** What an embedded server is opened with. */
export interface EmbeddedOptions {
  /** Folder that keeps everything of the embedded default (DATA_DIR). */
  dataDir: string;
  log: Log;
  /** How many connections it must allow; it allows 200 anyway. */
  connections?: number;
  /** Settings beyond ours; they count for the process that starts the server. */
  settings?: ServerSettings;
  /** Whether what is committed must survive a loss of power (yes, except in tests). */
  durable?: boolean;
}

/** Our place at a server: a connection that does nothing but hold {@link IN_USE}. */
interface ServerPlace {
  client: pg.Client;
  port: number;
}

/**
 * Held shared by every process that uses the server, for as long as it does. PostgreSQL lets go of it when the process
 * dies, however it dies; so whoever gets it alone is the last.
 */
const IN_USE = 337_873;

/** How long to wait for a server to start, or for one that is being stopped. Milliseconds. */
const startTimeout = 60_000;

/** Starts that may fail before we say so; one that loses a race against another process's is a failure too. */
const STARTS = 4;

/** Between rounds of starts that failed, while this process uses the server. Milliseconds. */
const restartPause = 2000;

const usualConnections = 200;

const ourSettings: ServerSettings = {
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  random_page_cost: '1.1',
  jit: 'off',
};

/**
 * Uses the embedded PostgreSQL of a data folder: makes and starts it where need be, or joins the one that another
 * process of ours runs, or one that a killed process has left running. Should the server go away while we use it, it is
 * joined (or started) again, on the same port as long as that is free.
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
      log.error('The embedded PostgreSQL went away; starting it again.');
      void sitAgain();
    });
    return place;
  };

  /** What keeps it from starting may pass: a full disk, for one. */
  const sitAgain = async () => {
    while (!leaving) {
      try {
        await sit();
        return log.info('The embedded PostgreSQL is back.');
      } catch (error) {
        log.error({ err: error }, 'The embedded PostgreSQL does not start again; trying further.');
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

/** Joins the running server, starting it where there is none, until it lets us in. */
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

/** A connection with {@link IN_USE}, or undefined where the server is still coming up or already going down. */
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
 * Gives up our place. Holding the lock alone means that nobody else uses the server, and that whoever comes now waits
 * for the lock, is thrown out by the stop, and starts the server again.
 */
async function leave({ data }: Cluster, client: pg.Client): Promise<void> {
  const last = await isLast(client).catch(() => false);
  const server = last ? await findPostmaster(data) : undefined;
  // A fast stop: roll back what is open, disconnect all, write everything out.
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
    // Another process that started with us was quicker (duplicate_database, or the catalogue's unique key).
    if (!(error instanceof pg.DatabaseError && (error.code === '42P04' || error.code === '23505'))) throw error;
  });
}

const addressOf = ({ password }: Cluster, port: number, database: string): string =>
  `postgresql://${ROLE}:${password}@127.0.0.1:${port}/${database}`;
