import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { WebSocket } from 'ws';
import { begun, values } from '../../live/live-world.js';
import { overSocket } from '../../live/subscriber.js';
import { ended } from '../../support/command.js';
import { useDatabase } from '../../support/database.js';
import { execute } from '../../support/server.js';
import { account, type Started, useTwoWorkers } from '../two-workers.js';

const two = useTwoWorkers();

/** Returns the process ids of the workers. Linux only. */
const workers = async ({ child: { pid } }: Started): Promise<number[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number);

/** Waits until the log contains the message `times` times. */
const logged = async ({ lines }: Started, message: string, times = 1): Promise<void> => {
  while (lines.filter(({ msg }) => msg === message).length < times) await pause(20);
};

describe('two workers under load', () => {
  it('shares one rate limit between the workers', async () => {
    const body = JSON.stringify({ serial: 'unknown', data: {} });
    const path = `/ddp/v1/organizations/${two.tenant.id}/records`;
    const window = 2000;
    let took: number;
    let statuses: number[];
    do {
      // Waits until the rate limiter has forgotten the earlier requests.
      await pause(window);
      const since = performance.now();
      const answers = await Promise.all(Array.from({ length: 12 }, () => two.ask(path, { method: 'POST', body })));
      took = performance.now() - since;
      statuses = answers.map(({ status }) => status);
      // Repeats when the burst took longer than the window, which then allows twice as many.
    } while (took >= window);
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    expect(statuses.filter((status) => status === 429)).toHaveLength(8);
  });

  it('replaces a killed worker without a failed request, and keeps the counters', async () => {
    expect((await two.ask(account)).status).toBe(200);
    const count = await two.accountCount();
    const before = await workers(two.service);
    process.kill(before[0]!, 'SIGKILL');
    await logged(two.service, 'Worker ended; starting it again');
    for (let n = 0; n < 10; n++) expect((await two.ask(account)).status).toBe(200);
    await logged(two.service, 'Worker serves again');
    const after = await workers(two.service);
    expect(after).toHaveLength(2);
    expect(after).toContain(before[1]);
    expect(after).not.toContain(before[0]);
    expect(await two.accountCount()).toBe(count + 10);
  });
});

describe('SIGHUP', () => {
  it('replaces the workers without a failed request, and subscribers reconnect without a gap', async () => {
    const { owner, id } = two.tenant;
    const application = (await owner.post<{ id: string }>(`/organizations/${id}/applications`, { name: 'Fleet' })).body;
    const device = (await owner.post<{ id: string }>(`/organizations/${id}/devices/ab-01`, {})).body;
    await owner.put(`/applications/${id}/${application.id}/devices/${device.id}`);
    const send = async (n: number) => {
      const body = JSON.stringify({ serial: 'ab-01', data: { n } });
      // The earlier test has used up the rate limit.
      while ((await two.ask(`/ddp/v1/organizations/${id}/records`, { method: 'POST', body })).status === 429)
        await pause(100);
    };
    const wanted = (after?: string) => ({
      query: `subscription ($organizationId: ID!, $applicationId: ID!, $after: String) {
        recordReceived(organizationId: $organizationId, applicationId: $applicationId, after: $after) {
          cursor missed records { data } } }`,
      variables: { organizationId: id, applicationId: application.id, ...(after && { after }) },
    });
    const first = overSocket(two.service.url, owner.token, wanted());
    await first.until(begun);
    await send(1);
    await first.until((heard) => values(heard).length === 1);
    const closed = closeCodeOf(two.service.url, owner.token!);

    const before = await workers(two.service);
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
      const { statusCode, body } = await request(`${two.service.url}${account}`, {
        dispatcher: kept,
        headers: two.headers,
      });
      await body.dump();
      return statusCode;
    };
    const loads = [onKept, onKept, onKept, onKept].map(load);
    for (const path of [account, account, '/readyz']) loads.push(load(async () => (await two.ask(path)).status));
    while (answered < 50) await pause(10);
    two.service.child.kill('SIGHUP');
    await logged(two.service, 'Workers replaced');
    const enough = answered + 50;
    while (answered < enough) await pause(10);
    over = true;
    await Promise.all(loads);
    await kept.close();
    expect(failures).toEqual([]);
    const after = await workers(two.service);
    expect(after).toHaveLength(2);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);

    await first.until((heard) => heard.over);
    expect(first.fault).toBeUndefined();
    expect(await closed).toBe(1001);
    await send(2);
    const cursor: string = first.results.at(-1)!.data!['recordReceived'].cursor;
    const second = overSocket(two.service.url, owner.token, wanted(cursor));
    await second.until((heard) => values(heard).length > 0);
    expect(values(second)).toEqual([{ n: 2 }]);
    second.leave();
  }, 120_000);
});

describe('SIGTERM', () => {
  it('stops all workers after every request that has begun to arrive is answered', async () => {
    const finish = await Promise.all(Array.from({ length: 8 }, begin));
    const pids = await workers(two.service);
    two.service.child.kill('SIGTERM');
    await logged(two.service, 'Stopping; requests in flight are finished');
    const answers = await Promise.all(finish.map((rest) => rest()));
    expect(answers).toEqual(answers.map(() => expect.stringMatching(/^HTTP\/1.1 200 /)));
    expect(await ended(two.service.child)).toBe(0);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await expect(two.ask(account)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('worker that cannot be started again', () => {
  const other = useDatabase();

  it('stops the service and logs the reason', async () => {
    const own = await two.start(other.url);
    const name = new URL(other.url).pathname.slice(1);
    await execute(two.database.url, `alter database ${name} with allow_connections false`);
    const [first] = await workers(own);
    process.kill(first!, 'SIGKILL');
    expect(await ended(own.child)).toBe(1);
    expect(own.lines.filter(({ msg }) => msg === 'Worker does not start')).toHaveLength(3);
    expect(own.lines.at(-1)!.msg).toMatch(/^Worker \d failed to start 3 times: .*not currently accepting connections/);
  }, 120_000);
});

/** Connects over WebSocket and authenticates; resolves with the close code. */
async function closeCodeOf(url: string, token: string): Promise<number> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }));
  const [code] = (await once(socket, 'close')) as [number];
  return code;
}

/** Sends the first part of a request. The returned function sends the rest and reads the answer. */
async function begin(): Promise<() => Promise<string>> {
  const { hostname, port } = new URL(two.service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.write(`GET ${account} HTTP/1.1\r\nHost: test\r\nAuthorization: ${two.headers['authorization']}\r\n`);
  // When this later request is answered, the service has accepted the connection.
  await two.ask('/healthz');
  return () => {
    socket.write('\r\n');
    return text(socket);
  };
}
