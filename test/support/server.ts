import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { ormOptions } from '../../mikro-orm.config.js';
import { openEmbedded } from '../../src/database/embedded.js';
import { migrate } from '../../src/database/migrate.js';
import { createLog } from '../../src/log.js';

/** The PostgreSQL of a test run: an address to make databases at, and a migrated one to clone. */
export interface TestServer {
  connectionString: string;
  template: string;
  close(): Promise<void>;
}

/** Uses the server of DATABASE_URL where there is one, else starts one in a place that is removed afterwards. */
export async function openTestServer(databaseUrl: string | undefined): Promise<TestServer> {
  const server = databaseUrl === undefined ? await startServer() : { connectionString: databaseUrl, close: nothing };
  const template = `ddp_test_${randomBytes(6).toString('hex')}`;
  await execute(server.connectionString, `create database ${template}`);
  const orm = await MikroORM.init(ormOptions(addressOf(server.connectionString, template)));
  await migrate(orm);
  await orm.close();
  return {
    connectionString: server.connectionString,
    template,
    async close() {
      await execute(server.connectionString, `drop database ${template} with (force)`);
      await server.close();
    },
  };
}

async function startServer(): Promise<{ connectionString: string; close(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ddp-test-'));
  await chmod(dataDir, 0o755);
  const server = await openEmbedded({
    dataDir,
    log: createLog('warn'),
    durable: false,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  return {
    connectionString: server.connectionString,
    async close() {
      await server.close();
      for (const folder of [server.data, dataDir]) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The same server, another database. */
export function addressOf(connectionString: string, database: string): string {
  const url = new URL(connectionString);
  url.pathname = `/${database}`;
  return url.toString();
}

/** Runs one statement on a connection of its own. */
export async function execute(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

const nothing = () => Promise.resolve();
