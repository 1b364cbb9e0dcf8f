import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { Client } from 'undici';
import { runCommand } from '../support/command.js';
import { useDatabase } from '../support/database.js';
import { execute } from '../support/server.js';
import { useService } from '../support/service.js';
import { startTestService } from '../support/start-service.js';

const service = useService({});

const status = async (path: string) => (await fetch(`${service.url}${path}`)).status;

describe('/healthz and /readyz', () => {
  it('returns 200 from both, and 503 from /readyz while a migration is missing', async () => {
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 200]);
    await execute(service.databaseUrl, 'delete from migration where id = (select max(id) from migration)');
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 503]);
  });
});

describe('version of the service', () => {
  it('equals that of package.json in /healthz and in ddp --version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const { stdout, ...rest } = await runCommand(['--version'], {});
    expect(rest).toEqual({ code: 0, stderr: '' });
    // Between two releases, the commit follows.
    expect(stdout.replace(version.includes('-') ? /\+[0-9a-f]{8,}(?=\n$)/ : '', '')).toBe(`${version}\n`);
    expect(await (await fetch(`${service.url}/healthz`)).json()).toEqual({ status: 'ok', version: stdout.trim() });
  });
});

describe('shutdown of the service', () => {
  const database = useDatabase();

  it('reports not ready, then stops accepting, and closes each connection with its next answer', async () => {
    const stopping = await startTestService(database.url);
    const client = new Client(stopping.url);
    const get = async (path: string) => {
      const { statusCode, headers, body } = await client.request({ method: 'GET', path });
      return { status: statusCode, connection: headers['connection'], body: await body.text() };
    };
    expect(await get('/readyz')).toMatchObject({ status: 200, connection: 'keep-alive' });
    stopping.drain();
    expect(await get('/readyz')).toMatchObject({
      status: 503,
      connection: 'keep-alive',
      body: expect.stringContaining('The service is stopping.'),
    });
    await stopping.leave();
    expect(await requestOnce(stopping.url)).toBe('ECONNREFUSED');
    expect(await get('/healthz')).toMatchObject({ status: 200, connection: 'close' });
    await expect(get('/healthz')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await stopping.close();
  });

  it('answers on every connection in the accept queue', async () => {
    const stopping = await startTestService(database.url);
    const answers = Array.from({ length: 50 }, () => requestOnce(stopping.url));
    // The sockets connect at the end of this turn of the event loop, and the service accepts them in the next.
    await new Promise(process.nextTick);
    void stopping.leave();
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 401 Unauthorized']));
    await refusal(stopping.url);
    await stopping.close();
  });

  it('keeps connections open until new ones are refused, however many arrive meanwhile', async () => {
    const stopping = await startTestService(database.url);
    const client = new Client(stopping.url);
    const connection = async () => {
      const { headers, body } = await client.request({ method: 'GET', path: '/healthz' });
      await body.dump();
      return headers['connection'];
    };
    await connection();
    const coming = Array.from({ length: 200 }, () => requestOnce(stopping.url));
    void stopping.leave();
    while ((await connection()) !== 'close');
    expect(await requestOnce(stopping.url)).toBe('ECONNREFUSED');
    await Promise.all(coming);
    await stopping.close();
  });

  it('answers every request that has begun to arrive on any of its sockets', async () => {
    const stopping = await startTestService(database.url);
    const begun = await Promise.all(Array.from({ length: 20 }, () => begin(stopping.url)));
    const closed = stopping.close();
    const answers = await Promise.all(begun.map((finish) => finish()));
    expect(answers).toEqual(answers.map(() => expect.stringMatching(/^HTTP\/1.1 401 /)));
    await closed;
  });
});

/** Resolves when the service refuses connections. */
const refusal = async (url: string): Promise<void> => {
  while ((await requestOnce(url)) !== 'ECONNREFUSED');
};

/** Posts over a new connection. Returns the first line of the answer, or why there is none. */
const requestOnce = async (url: string): Promise<string> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write('POST /graphql HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n');
  socket.write('Connection: close\r\nContent-Length: 2\r\n\r\n{}');
  return text(socket).then(
    (answer) => answer.split('\r\n', 1)[0]!,
    (error: NodeJS.ErrnoException) => error.code!,
  );
};

/** Sends the first part of a request. The returned function sends the rest and reads the answer. */
const begin = async (url: string): Promise<() => Promise<string>> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.write('POST /graphql HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n');
  // When this later request is answered, the service has read the first part.
  await fetch(`${url}/healthz`);
  return async () => {
    socket.write('Connection: close\r\nContent-Length: 2\r\n\r\n{}');
    return text(socket);
  };
};
