import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { WebSocket } from 'ws';
import { begun, values } from '../../live/live-world.js';
import { overSocket } from '../../live/subscriber.js';
import { ended, startCommand } from '../../support/command.js';
import { useDatabase } from '../../support/database.js';
import { execute } from '../../support/server.js';
import { createTenant, type Tenant } from '../../support/tenant.js';

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

  it('share one rate limit', async () => {
    const body = JSON.stringify({ serial: 'unknown', data: {} });
    const path = `/ddp/v1/organizations/${tenant.id}/records`;
    const window = 2000;
    let took: number;
    let statuses: number[];
    do {
      // What was counted before is forgotten after its window.
      await pause(window);
      const since = performance.now();
      const answers = await Promise.all(Array.from({ length: 12 }, () => ask(path, { method: 'POST', body })));
      took = performance.now() - since;
      statuses = answers.map(({ status }) => status);
      // A burst that takes longer than the window is let in twice.
    } while (took >= window);
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    expect(statuses.filter((status) => status === 429)).toHaveLength(8);
  });

  it('go on when one is killed, another takes its place, and no counter falls', async () => {
    expect((await ask(account)).status).toBe(200);
    const count = await accountCount();
    const before = await workers(service);
    process.kill(before[0]!, 'SIGKILL');
    await logged(service, 'A worker ended; starting it again.');
    for (let n = 0; n < 10; n++) expect((await ask(account)).status).toBe(200);
    await logged(service, 'The worker serves again.');
    const after = await workers(service);
    expect(after).toHaveLength(2);
    expect(after).toContain(before[1]);
    expect(after).not.toContain(before[0]);
    expect(await accountCount()).toBe(count + 10);
  });
});

describe('SIGHUP', () => {
  it('replaces the workers without a failed request, and subscribers come again and miss nothing', async () => {
    const { owner, id } = tenant;
    const application = (await owner.post<{ id: string }>(`/organizations/${id}/applications`, { name: 'Fleet' })).body;
    const device = (await owner.post<{ id: string }>(`/organizations/${id}/devices/ab-01`, {})).body;
    await owner.put(`/applications/${id}/${application.id}/devices/${device.id}`);
    const send = async (n: number) => {
      const body = JSON.stringify({ serial: 'ab-01', data: { n } });
      // The limit of the test above.
      while ((await ask(`/ddp/v1/organizations/${id}/records`, { method: 'POST', body })).status === 429)
        await pause(100);
    };
    const wanted = (after?: string) => ({
      query: `subscription ($organizationId: ID!, $applicationId: ID!, $after: String) {
        recordReceived(organizationId: $organizationId, applicationId: $applicationId, after: $after) {
          cursor missed records { data } } }`,
      variables: { organizationId: id, applicationId: application.id, ...(after && { after }) },
    });
    const first = overSocket(service.url, owner.token, wanted());
    await first.until(begun);
    await send(1);
    await first.until((heard) => values(heard).length === 1);
    const closed = closeCodeOf(service.url, owner.token!);

    const before = await workers(service);
    let over = false;
    const failures: unknown[] = [];
    let answered = 0;
    const load = async (once: () => Promise<number>) => {
      while (!over) {
        const status = await once().catch((error: unknown) => error);
        if (status === 200) answered++;
        else failures.push(status);
        await pause(5);
      }
    };
    const kept = new Agent({ pipelining: 1, connections: 4 });
    const onKept = async () => {
      const { statusCode, body } = await request(`${service.url}${account}`, { dispatcher: kept, headers });
      await body.dump();
      return statusCode;
    };
    const loads = [onKept, onKept, onKept, onKept].map(load);
    for (const path of [account, account, '/readyz']) loads.push(load(async () => (await ask(path)).status));
    while (answered < 50) await pause(10);
    service.child.kill('SIGHUP');
    await logged(service, 'Replaced the workers.');
    const enough = answered + 50;
    while (answered < enough) await pause(10);
    over = true;
    await Promise.all(loads);
    await kept.close();
    expect(failures).toEqual([]);
    const after = await workers(service);
    expect(after).toHaveLength(2);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);

    await first.until((heard) => heard.over);
    expect(first.fault).toBeUndefined();
    expect(await closed).toBe(1001);
    await send(2);
    const cursor: string = first.results.at(-1)!.data!['recordReceived'].cursor;
    const second = overSocket(service.url, owner.token, wanted(cursor));
    await second.until((heard) => values(heard).length > 0);
    expect(values(second)).toEqual([{ n: 2 }]);
    second.leave();
  }, 120_000);
});

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

describe('a worker that cannot be started again', () => {
  const other = useDatabase();

  it('ends the service with its reason', async () => {
    const own = await start(other.url);
    const name = new URL(other.url).pathname.slice(1);
    await execute(database.url, `alter database ${name} with allow_connections false`);
    const [first] = await workers(own);
    process.kill(first!, 'SIGKILL');
    expect(await ended(own.child)).toBe(1);
    expect(own.lines.filter(({ msg }) => msg === 'A worker does not start.')).toHaveLength(3);
    expect(own.lines.at(-1)!.msg).toMatch(/^Worker \d failed to start 3 times: .*not currently accepting connections/);
  }, 120_000);
});

/** Connects over WebSocket and says who it is; resolves with the code that it is closed with. */
async function closeCodeOf(url: string, token: string): Promise<number> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }));
  const [code] = (await once(socket, 'close')) as [number];
  return code;
}

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
