import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
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

/** Process numbers of the workers. Linux only. */
const workers = async ({ child: { pid } }: Started): Promise<number[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number);

/** Waits until something is logged once more than before. */
const logged = async ({ lines }: Started, message: string, times = 1): Promise<void> => {
  while (lines.filter(({ msg }) => msg === message).length < times) await pause(20);
};

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

describe('SIGTERM', () => {
  it('ends all workers, and every request that has begun to come is answered', async () => {
    const finish = await Promise.all(Array.from({ length: 8 }, begin));
    const pids = await workers(service);
    service.child.kill('SIGTERM');
    await logged(service, 'SIGTERM: finishing what is in flight.');
    const answers = await Promise.all(finish.map((rest) => rest()));
    expect(answers).toEqual(answers.map(() => expect.stringMatching(/^HTTP\/1.1 200 /)));
    expect(await ended(service.child)).toBe(0);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await expect(ask(account)).rejects.toThrow('ECONNREFUSED');
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

/** Sends the first part of a request; what it gives sends the rest, and reads the whole answer. */
async function begin(): Promise<() => Promise<string>> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.write(`GET ${account} HTTP/1.1\r\nHost: test\r\nAuthorization: ${headers['authorization']}\r\n`);
  // The service has taken the connection once a later one is answered.
  await ask('/healthz');
  return () => {
    socket.write('\r\n');
    return text(socket);
  };
}
