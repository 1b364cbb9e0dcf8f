import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { wantedWorkers } from '../../src/workers/worker-count.js';
import { ended, runCommand, startCommand } from '../support/command.js';
import { useDatabase } from '../support/database.js';
import { createTenant, type Tenant } from '../support/tenant.js';

const database = useDatabase();
const started: ChildProcess[] = [];

/** Settings of two workers; records are limited to four in two seconds. */
const settings = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  SECRET_KEY: 'a key for tests',
  PORT: '0',
  WORKERS: '2',
  RATE_LIMIT: '0',
  INGEST_RATE_LIMIT: '2',
  LOG_LEVEL: 'info',
});

/** A service of two workers, with what it has logged. */
interface Started {
  child: ChildProcess;
  url: string;
  lines: { msg: string; worker?: number }[];
}

const start = async (databaseUrl: string): Promise<Started> => {
  const child = startCommand(['serve', '--json'], settings(databaseUrl));
  started.push(child);
  const lines: Started['lines'] = [];
  // What ends the service is a sentence, no line of the log.
  createInterface(child.stderr!).on('line', (line) =>
    lines.push(line.startsWith('{') ? JSON.parse(line) : { msg: line }),
  );
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  return { child, url: (JSON.parse(line) as { url: string }).url, lines };
};

let service: Started;
let tenant: Tenant;
let headers: Record<string, string>;
beforeAll(async () => {
  service = await start(database.url);
  tenant = await createTenant({ url: service.url, databaseUrl: database.url });
  headers = { authorization: `Bearer ${tenant.owner.token}` };
}, 120_000);
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await Promise.all(started.map(ended));
});

/** A request over a connection of its own: connections are handed to the workers in turn. */
const ask = async (path: string, options: { method?: 'GET' | 'POST'; body?: string } = {}) => {
  const dispatcher = new Agent({ pipelining: 0 });
  const { statusCode, body } = await request(`${service.url}${path}`, {
    dispatcher,
    headers: { ...headers, connection: 'close', ...(options.body && { 'content-type': 'application/json' }) },
    ...options,
  });
  const answer = { status: statusCode, text: await body.text() };
  await dispatcher.close();
  return answer;
};

const account = '/ddp/v1/account';

/** A figure of all workers. */
const figure = async (name: string): Promise<number> => {
  const page = await ask('/metrics');
  return Number(
    page.text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')
      .at(-1),
  );
};
const accountCount = () => figure(`ddp_http_request_seconds_count{method="GET",route="${account}",status="200"}`);

describe('two workers', () => {
  it('answer at one address, say in the log which of them does, and add up their figures', async () => {
    const before = (await accountCount()) || 0;
    for (let n = 0; n < 10; n++) expect((await ask(account)).status).toBe(200);
    expect(await accountCount()).toBe(before + 10);
    expect(await accountCount()).toBe(before + 10);
    const { text: page } = await ask('/metrics');
    for (const worker of [1, 2]) {
      expect(page).toMatch(new RegExp(`^process_resident_memory_bytes{worker="${worker}"} \\d+$`, 'm'));
      expect(service.lines).toContainEqual(expect.objectContaining({ msg: 'request', worker }));
    }
    expect(await figure('ddp_hook_pending')).toBe(0);
  });
});

describe('WORKERS', () => {
  it('is one on the embedded database of a machine with two processors, else as many as there are', () => {
    const embedded = { workers: undefined, databaseUrl: undefined };
    const served = { workers: undefined, databaseUrl: database.url };
    expect([2, 4].map((processors) => wantedWorkers(embedded, processors))).toEqual([1, 4]);
    expect([1, 2].map((processors) => wantedWorkers(served, processors))).toEqual([1, 2]);
    expect(wantedWorkers({ ...embedded, workers: 'auto' }, 2)).toBe(2);
    expect(wantedWorkers({ ...served, workers: 3 }, 16)).toBe(3);
  });

  it('must be a number of processes, or auto', async () => {
    const { code, stderr } = await runCommand(['serve'], { ...settings(database.url), WORKERS: 'many' });
    expect(code).toBe(1);
    expect(stderr).toContain('WORKERS must be auto or a whole number from 1 to 256.');
  });

  it('stops the start with a sentence where the database has too few connections for so many', async () => {
    const { code, stdout, stderr } = await runCommand(['serve'], { ...settings(database.url), WORKERS: '250' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/250 workers may open \d+ connections, .* allows \d+ \(max_connections\).* Set WORKERS=\d+/);
  });
});
