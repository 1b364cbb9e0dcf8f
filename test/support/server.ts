import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { createLog } from '#common/log.js';
import { openEmbedded } from '#database/embedded.js';
import { migrate } from '#database/migrate.js';
import { ormOptions } from '../../mikro-orm.config.js';
import { poolOf } from './connection.js';
import { deleteIndices } from './record-index.js';

/** The PostgreSQL of a test run: a server to create databases on, and a migrated database to clone. */
export interface TestServer {
  connectionString: string;
  template: string;
  close(): Promise<void>;
}

/** Uses the server of DATABASE_URL if it is set. Otherwise starts a server in a temporary folder. */
export async function openTestServer(databaseUrl: string | undefined): Promise<TestServer> {
  const server = databaseUrl === undefined ? await startServer() : givenServer(databaseUrl);
  const template = `ddp_test_${randomBytes(6).toString('hex')}`;
  await execute(server.connectionString, `create database ${template}`);
  const orm = await MikroORM.init(ormOptions(addressOf(server.connectionString, template)));
  await migrate(orm);
  await orm.close();
  return {
    connectionString: server.connectionString,
    template,
    async close() {
      await deleteIndices(template);
      await server.close(template);
    },
  };
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

async function startServer(): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ddp-test-'));
  await chmod(dataDir, 0o755);
  const server = await openEmbedded({
    dataDir,
    log: createLog('warn'),
    durable: false,
    connections: 300,
    // Autovacuum visits each of 200 databases; doing so every minute would take as long as some test files.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum_naptime: '1h' },
  });
  await easeLogins(server.connectionString);
  const guard = guardServer(server.data, dataDir);
  return {
    connectionString: server.connectionString,
    async close() {
      await server.close();
      for (const folder of [server.data, dataDir]) await rm(folder, { recursive: true, force: true });
      guard.kill('SIGKILL');
    },
  };
}

/**
 * Stores the password with one hash round instead of 4,096, because those rounds take client and server milliseconds at
 * each login.
 */
const easeLogins = (connectionString: string) => {
  const { username, password } = new URL(connectionString);
  return execute(connectionString, `set scram_iterations = 1; alter role ${username} password '${password}'`);
};

/** Starts a process that waits for the end of this one, so that a killed run leaves neither a server nor its data. */
function guardServer(data: string, dataDir: string): ChildProcess {
  const script = 'cat; kill -QUIT "$(head -n 1 "$0/postmaster.pid")"; sleep 1; rm -rf "$0" "$1"';
  const child = spawn('/bin/sh', ['-c', script, data, dataDir], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
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
