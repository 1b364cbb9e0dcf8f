import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { ended, runCommand } from '../support/command.js';
import { describeIf } from '../support/conditional.js';
import { useDatabase } from '../support/database.js';
import { until } from '../support/until.js';
import { freePort, hasTools, startTool } from './tool.js';

const database = useDatabase();
const folders: string[] = [];
const poolers: ChildProcess[] = [];

afterEach(async () => {
  for (const pooler of poolers.splice(0)) {
    pooler.kill('SIGTERM');
    await ended(pooler);
  }
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

/** Starts PgBouncer before the database, and returns its address of the database. */
async function startPooler(settings: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ddp-pooler-'));
  folders.push(folder);
  const url = new URL(database.url);
  const port = await freePort();
  const login = `host=${url.hostname} port=${url.port} user=${url.username} password=${decodeURIComponent(url.password)}`;
  const text = `[databases]\n* = ${login}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\n${settings}\n`;
  await writeFile(join(folder, 'pgbouncer.ini'), text);
  // It refuses to run as root.
  const asOther = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  poolers.push(startTool('usr/sbin/pgbouncer', [...asOther, join(folder, 'pgbouncer.ini')]));
  const address = new URL(database.url);
  address.port = String(port);
  const answers = async () => {
    const client = new pg.Client({ connectionString: address.toString() });
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end();
    }
  };
  await until(answers);
  return address.toString();
}

const migrate = (url: string) => runCommand(['migrate'], { DATABASE_URL: url, SECRET_KEY: 'a key for tests' });

describeIf(hasTools, 'OPS_TOOLS is not set')('DATABASE_URL of PgBouncer', () => {
  it.each([
    ['refuses start-up options', 'pool_mode = session', 'unsupported startup parameter: options'],
    [
      'drops start-up options',
      'pool_mode = session\nignore_startup_parameters = options',
      'it drops the start-up options',
    ],
    [
      'pools transactions',
      'pool_mode = transaction\nignore_startup_parameters = options',
      'it drops the start-up options',
    ],
  ])('ends the start with advice when the pooler %s', async (_, mode, why) => {
    const { code, stderr } = await migrate(await startPooler(mode));
    expect(code).toBe(1);
    expect(stderr).toContain(`is a connection pooler that keeps no sessions: ${why}. Give the address of PostgreSQL`);
  });
});
