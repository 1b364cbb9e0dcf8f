import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, type Dispatcher, request } from 'undici';
import { WebSocket } from 'ws';
import { ended, startCommand } from '../support/command.js';
import { describeIf } from '../support/conditional.js';
import { freePort, hasTools, toolPath } from './tool.js';

/** Number of concurrent requests. */
const clients = 8;
/** Requests that a restarted process must have answered before the other is restarted. */
const between = 20;

let folder: string;
let dataDir: string;
let ports: [number, number];
const processes = new Map<number, ChildProcess>();
let token: string;
let organization: string;
let serial: string;

/** Starts a service process at a port, and returns what it prints when it listens. */
async function serve(port: number): Promise<Record<string, string>> {
  const child = startCommand(['serve', '--json'], {
    DATA_DIR: dataDir,
    PORT: String(port),
    TRUST_PROXY: '1',
    STOP_DELAY: '3s',
    METRICS_TOKEN: 'metrics',
    RATE_LIMIT: '0',
    LOG_LEVEL: 'fatal',
  });
  processes.set(port, child);
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  return JSON.parse(line) as Record<string, string>;
}

async function stop(port: number): Promise<void> {
  const child = processes.get(port)!;
  child.kill('SIGTERM');
  expect(await ended(child)).toBe(0);
}

/** Returns the number of client requests that a process has answered since its start. */
async function answeredBy(port: number): Promise<number> {
  const headers = { authorization: 'Bearer metrics' };
  const figures = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
  const [, count] =
    /^ddp_http_request_seconds_count\{method="GET",route="\/ddp\/v1\/account".*\} (\d+)$/m.exec(figures) ?? [];
  return Number(count ?? 0);
}

describeIf(hasTools, 'OPS_TOOLS is not set')('two processes behind a proxy', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ddp-proxy-'));
    await chmod(folder, 0o755);
    dataDir = join(folder, 'data');
    ports = [await freePort(), await freePort()];
    const first = await serve(ports[0]);
    [token, organization, serial] = [first['token']!, first['id']!, first['serial']!];
    await serve(ports[1]);
  }, 180_000);

  afterAll(async () => {
    if (folder === undefined) return;
    await Promise.all(ports.map(stop));
    const elsewhere = await readFile(join(dataDir, 'postgres.path'), 'utf8').catch(() => folder);
    for (const each of [elsewhere.trim(), folder]) await rm(each, { recursive: true, force: true });
  }, 180_000);

  describe.each([
    ['Caddy', startCaddy],
    ['nginx', startNginx],
  ])('two processes behind %s', (_, startProxy) => {
    let proxy: ChildProcess;
    let origin: string;
    // Keeps connections to the proxy open, as clients do. The certificate is self-signed.
    const dispatcher = new Agent({ connections: clients, connect: { rejectUnauthorized: false } });

    beforeAll(async () => {
      const port = await freePort();
      origin = `https://localhost:${port}`;
      proxy = await startProxy(port);
      await until(async () => (await call('GET', '/healthz')) === 200);
    }, 180_000);

    afterAll(async () => {
      await dispatcher.close();
      proxy.kill('SIGTERM');
      await ended(proxy);
    });

    const call = async (method: Dispatcher.HttpMethod, path: string, body?: object): Promise<number> => {
      const { statusCode, body: answer } = await request(`${origin}${path}`, {
        method,
        dispatcher,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
      });
      await answer.dump();
      return statusCode;
    };

    const until = async (reached: () => Promise<boolean>) => {
      while (!(await reached().catch(() => false))) await pause(100);
    };

    it('answers every request with 200 while both processes are restarted in turn under load', async () => {
      const outcomes = new Map<number | string, number>();
      let sent = 0;
      let over = false;
      const load = Array.from({ length: clients }, async (_each, client) => {
        while (!over) {
          const outcome = await (client % 2 === 0
            ? call('GET', '/ddp/v1/account')
            : call('POST', `/ddp/v1/organizations/${organization}/records`, { serial, data: { n: ++sent } })
          ).catch(String);
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        }
      });
      for (const port of ports) {
        await stop(port);
        await serve(port);
        // The proxy has noticed that the process is back.
        await until(async () => (await answeredBy(port)) >= between);
      }
      over = true;
      await Promise.all(load);
      expect([...outcomes.keys()]).toEqual([200]);
    }, 240_000);

    it('passes files to import of 12 MiB, and refuses other bodies of that size', async () => {
      const row = `${serial},1,${'x'.repeat(1000)}\n`;
      const file = `serial,n,text\n${row.repeat(Math.ceil((12 * 2 ** 20) / row.length))}`;
      const http1 = new Agent({ allowH2: false, connect: { rejectUnauthorized: false } });
      const send = async (path: string, type: string): Promise<number> => {
        const { statusCode, body } = await request(`${origin}/ddp/v1/organizations/${organization}/${path}`, {
          method: 'POST',
          dispatcher: http1,
          headers: { authorization: `Bearer ${token}`, 'content-type': type },
          body: file,
        });
        await body.dump();
        return statusCode;
      };
      expect(await send('imports/records', 'text/csv')).toBe(200);
      expect(await send('records', 'application/json')).toBe(413);
      await http1.close();
    });

    it('forwards WebSockets, event streams and request identifiers, and hides /metrics', async () => {
      const socket = new WebSocket(`${origin.replace('https', 'wss')}/graphql`, 'graphql-transport-ws', {
        rejectUnauthorized: false,
      });
      await once(socket, 'open');
      socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }));
      const [message] = (await once(socket, 'message')) as [Buffer];
      expect(JSON.parse(message.toString())).toMatchObject({ type: 'connection_ack' });
      socket.terminate();

      const answer = await request(`${origin}/ddp/v1/account`, {
        dispatcher,
        headers: { authorization: `Bearer ${token}`, 'x-request-id': 'from-the-customer' },
      });
      expect(answer.headers['x-request-id']).toBe('from-the-customer');
      await answer.body.dump();
      expect(await call('GET', '/metrics')).toBe(404);

      const left = new AbortController();
      const stream = await request(`${origin}/graphql`, {
        method: 'POST',
        dispatcher,
        signal: left.signal,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'text/event-stream',
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          query: `subscription { records(organizationId: "${organization}") { record { id } } }`,
        }),
      });
      expect([stream.statusCode, stream.headers['content-type']]).toEqual([
        200,
        expect.stringContaining('text/event-stream'),
      ]);
      stream.body.on('error', () => undefined);
      left.abort();
    }, 180_000);
  });
});

async function startCaddy(port: number): Promise<ChildProcess> {
  return spawn(toolPath('usr/bin/caddy'), ['run', '--config', 'ops/caddy/Caddyfile', '--adapter', 'caddyfile'], {
    stdio: 'ignore',
    env: {
      HOME: folder,
      XDG_DATA_HOME: folder,
      HTTP_PORT: String(await freePort()),
      HTTPS_PORT: String(port),
      DDP_SITE: 'localhost',
      DDP_UPSTREAMS: ports.map((each) => `127.0.0.1:${each}`).join(' '),
    },
  });
}

async function startNginx(port: number): Promise<ChildProcess> {
  const home = join(folder, 'nginx');
  await mkdir(join(home, 'logs'), { recursive: true });
  await cp('test/data/tls', home, { recursive: true });
  const site = (await readFile('ops/nginx/ddp.conf', 'utf8'))
    .replace('127.0.0.1:4001', `127.0.0.1:${ports[0]}`)
    .replace('127.0.0.1:4002', `127.0.0.1:${ports[1]}`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('/etc/ssl/certs/ddp.pem', join(home, 'cert.pem'))
    .replace('/etc/ssl/private/ddp.key', join(home, 'key.pem'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(home, name)};`,
  );
  const config = `daemon off; worker_processes 1; pid ${join(home, 'pid')}; error_log ${join(home, 'error.log')};
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    events { worker_connections 1024; }
    http { access_log off; ${temporary.join(' ')}\n${site} }`;
  await writeFile(join(home, 'nginx.conf'), config);
  return spawn(toolPath('usr/sbin/nginx'), ['-p', home, '-c', join(home, 'nginx.conf')], { stdio: 'ignore' });
}
