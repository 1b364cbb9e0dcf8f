import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import pg from 'pg';
import { createLog } from '#common/log.js';
import { type Embedded, openEmbedded } from '#database/embedded.js';
import { poolOf } from './connection.js';
import { copyFolder, keepCluster, temporaryFolder } from './kept-cluster.js';
import { deleteIndices } from './record-index.js';

/** The PostgreSQL of a test run: a server to create databases on, and a migrated database to clone. */
export interface TestServer {
  connectionString: string;
  template: string;
  close(): Promise<void>;
}

/**
 * Uses the server of DATABASE_URL if it is set. Otherwise starts a server in a temporary folder.
 * @param kept folder of a stopped server with a template. The new server is a copy of it, which is made at the first use.
 */
export async function openTestServer(databaseUrl: string | undefined, kept?: string): Promise<TestServer> {
  const cluster = databaseUrl === undefined && kept !== undefined ? await keepCluster(kept, makeCluster) : undefined;
  const server = databaseUrl === undefined ? await startServer(cluster) : givenServer(databaseUrl);
  // The name is new for each run: it is the prefix of indices on a cluster that other runs may use.
  const template = `ddp_test_${randomBytes(6).toString('hex')}`;
  if (cluster === undefined) await createTemplate(server.connectionString, template);
  else await execute(server.connectionString, `alter database ${KEPT} rename to ${template}`);
  return {
    connectionString: server.connectionString,
    template,
    async close() {
      await deleteIndices(template);
      await server.close(template);
    },
  };
}

/** Name of the template in a kept server. */
const KEPT = 'ddp_test_kept';

async function createTemplate(connectionString: string, template: string): Promise<void> {
  // A copy of a server has a template. Without these modules, the run starts half a second earlier.
  const [{ MikroORM }, { migrate }, { ormOptions }] = await Promise.all([
    import('@mikro-orm/postgresql'),
    import('#database/migrate.js'),
    import('../../mikro-orm.config.js'),
  ]);
  await execute(connectionString, `create database ${template}`);
  const orm = await MikroORM.init(ormOptions(addressOf(connectionString, template)));
  await migrate(orm);
  await orm.close();
}

/** Makes a server with a template in the folder, and stops it. */
async function makeCluster(dataDir: string): Promise<void> {
  const { server, guard } = await open(dataDir);
  await createTemplate(server.connectionString, KEPT);
  await server.close();
  guard.kill('SIGKILL');
}

/** A PostgreSQL that was started or given. */
interface Server {
  connectionString: string;
  /** Removes the template and the databases cloned from it. */
  close(template: string): Promise<void>;
}

const givenServer = (connectionString: string): Server => ({
  connectionString,
  async close(template) {
    for (const name of await databasesLike(connectionString, template)) {
      await execute(connectionString, `drop database ${name} with (force)`);
    }
  },
});

async function startServer(cluster: string | undefined): Promise<Server> {
  const dataDir = await temporaryFolder();
  if (cluster !== undefined) await copyFolder(cluster, dataDir);
  const { server, guard } = await open(dataDir);
  return {
    connectionString: server.connectionString,
    async close() {
      await server.close();
      for (const folder of [server.data, dataDir]) await rm(folder, { recursive: true, force: true });
      guard.kill('SIGKILL');
    },
  };
}

async function open(dataDir: string): Promise<{ server: Embedded; guard: ChildProcess }> {
  const guard = guardServer(dataDir);
  const server = await openEmbedded({
    dataDir,
    log: createLog('warn'),
    durable: false,
    connections: 300,
    // Autovacuum visits each of 200 databases; doing so every minute would take as long as some test files.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum_naptime: '1h' },
  });
  await easeLogins(server.connectionString);
  return { server, guard };
}

/**
 * Stores the password with one hash round instead of 4,096, because those rounds take client and server milliseconds at
 * each login.
 */
const easeLogins = (connectionString: string) => {
  const { username, password } = new URL(connectionString);
  return execute(connectionString, `set scram_iterations = 1; alter role ${username} password '${password}'`);
};

/**
 * Starts a process that waits for the end of this one, so that a killed run leaves neither a server nor its data. It
 * starts before the server: `--watch` often ends a run that is just starting.
 */
function guardServer(dataDir: string): ChildProcess {
  const script =
    'cat; data=$(cat "$0/postgres.path"); kill -QUIT "$(head -n 1 "$data/postmaster.pid")"; sleep 1; rm -rf "$data" "$0"';
  const child = spawn('/bin/sh', ['-c', script, dataDir], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.unref();
  (child.stdin as Socket).unref();
  return child;
}

/** Returns the address of another database on the same server. */
export function addressOf(connectionString: string, database: string): string {
  const url = new URL(connectionString);
  url.pathname = `/${database}`;
  return url.toString();
}

/**
 * Clones the template and returns the clone's address. `template: false` creates an empty database, as migrations find
 * it at the first use.
 */
export async function createDatabase({ template = true } = {}): Promise<string> {
  const server = required('DDP_TEST_SERVER');
  const origin = required('DDP_TEST_TEMPLATE');
  const name = `${origin}_${randomBytes(4).toString('hex')}`;
  // Copying the files takes half as long as writing each block to the log, but only without fsync. A server that
  // DATABASE_URL names has fsync on.
  const strategy = process.env['DATABASE_URL'] === undefined ? ' strategy file_copy' : '';
  await poolOf(server).query(`create database ${name}${template ? ` template ${origin}${strategy}` : ''}`);
  return addressOf(server, name);
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run the tests with npm test.`);
  return value;
}

/** Runs one statement on a new connection. */
export async function execute(connectionString: string, statement: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await client.query<{ name: string }>(statement, values);
  } finally {
    await client.end();
  }
}

/** Returns the names of the template and the databases cloned from it. */
async function databasesLike(connectionString: string, template: string): Promise<string[]> {
  const query = 'select datname as name from pg_database where starts_with(datname, $1)';
  const { rows } = await execute(connectionString, query, [template]);
  return rows.map(({ name }) => name);
}
