import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ended, runCommand, startCommand } from '../../support/command.js';

/**
 * The line that a service prints when it listens. It has a token only when the service created the first organization.
 */
interface Greeting {
  url: string;
  token?: string;
}

let dataDir: string;
const started: ChildProcess[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ddp-lifecycle-'));
  await chmod(dataDir, 0o755);
});

afterAll(async () => {
  for (const child of started) child.kill('SIGTERM');
  await Promise.all(started.map(ended));
  for (const folder of [await databaseFolder(), dataDir]) await rm(folder, { recursive: true, force: true });
});

/** Starts a service on the embedded database, on a free port. */
async function serve(folder = dataDir, settings = {}): Promise<{ child: ChildProcess; greeting: Greeting }> {
  const child = startCommand(['serve', '--json'], { DATA_DIR: folder, PORT: '0', ...settings });
  started.push(child);
  if (child.stdout === null) throw new Error('The service has no stdout.');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, greeting: JSON.parse(line) as Greeting };
}

const databaseFolder = async (folder = dataDir) => (await readFile(join(folder, 'postgres.path'), 'utf8')).trim();

const isDatabaseRunning = async () =>
  access(join(await databaseFolder(), 'postmaster.pid')).then(
    () => true,
    () => false,
  );

async function accountStatus({ url }: Greeting, token: string): Promise<number> {
  const response = await fetch(`${url}/ddp/v1/account`, { headers: { authorization: `Bearer ${token}` } });
  return response.status;
}

describe('embedded database', () => {
  let first: ChildProcess;
  let second: ChildProcess;
  let token: string;

  it('starts once for two services, which create one demo organization', async () => {
    const both = await Promise.all([serve(), serve()]);
    [first, second] = [both[0].child, both[1].child];
    const tokens = both.flatMap(({ greeting }) => (greeting.token === undefined ? [] : [greeting.token]));
    expect(tokens).toHaveLength(1);
    token = tokens[0]!;
    for (const { greeting } of both) expect(await accountStatus(greeting, token)).toBe(200);
  }, 180_000);

  it('lets commands run beside the services', async () => {
    const args = ['user', 'create', '--username', 'ada', '--email', 'ada@example.com', '--json'];
    const outcome = await runCommand(args, { DATA_DIR: dataDir });
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\{"id":"[^"]+"\}\n$/) });
    expect(await isDatabaseRunning()).toBe(true);
  });

  it('runs for the other service when one is killed, and stops with the last', async () => {
    first.kill('SIGKILL');
    await ended(first);
    expect(await isDatabaseRunning()).toBe(true);
    second.kill('SIGTERM');
    expect(await ended(second)).toBe(0);
    expect(await isDatabaseRunning()).toBe(false);
  });

  it('contains all data after all services were killed', async () => {
    const { child } = await serve();
    child.kill('SIGKILL');
    await ended(child);
    const again = await serve();
    expect(again.greeting.token).toBeUndefined();
    expect(await accountStatus(again.greeting, token)).toBe(200);
    again.child.kill('SIGINT');
    expect(await ended(again.child)).toBe(0);
    expect(await isDatabaseRunning()).toBe(false);
  }, 180_000);

  it("starts in a shell whose variables name another server's options", async () => {
    const folder = await mkdtemp(join(dataDir, 'libpq-'));
    await chmod(folder, 0o755);
    const variables = {
      PGSSLMODE: 'require',
      PGOPTIONS: '-c nothing=1',
      PGDATESTYLE: 'nonsense',
      PGHOST: 'nowhere.test',
    };
    const { child, greeting } = await serve(folder, variables);
    expect(await accountStatus(greeting, greeting.token!)).toBe(200);
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(0);
    await rm(await databaseFolder(folder), { recursive: true });
  }, 120_000);

  it('stays in place when the permissions of its folder are opened', async () => {
    const closed = await mkdtemp(join(dataDir, 'closed-'));
    const { child, greeting } = await serve(closed);
    child.kill('SIGTERM');
    await ended(child);
    await chmod(closed, 0o755);
    const again = await serve(closed);
    expect(await accountStatus(again.greeting, greeting.token!)).toBe(200);
    again.child.kill('SIGTERM');
    expect(await ended(again.child)).toBe(0);
    await rm(await databaseFolder(closed), { recursive: true });
  }, 120_000);

  it('stops the start with advice when it is of another PostgreSQL version, and stays unchanged', async () => {
    const file = join(await databaseFolder(), 'PG_VERSION');
    const release = await readFile(file, 'utf8');
    await writeFile(file, '17\n');
    const outcome = await runCommand(['serve'], { DATA_DIR: dataDir, PORT: '0' });
    await writeFile(file, release);
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(/is of PostgreSQL 17, .* comes with PostgreSQL 18\. .*ddp backup .*ddp restore/);
    expect(await isDatabaseRunning()).toBe(false);
  });

  it("stays down when the service's port is taken, and the service suggests another port", async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const address = squatter.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const outcome = await runCommand(['serve'], { DATA_DIR: dataDir, PORT: String(port) });
    squatter.close();
    expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(`Port ${port} .* PORT=`) });
    expect(await isDatabaseRunning()).toBe(false);
  });
});
