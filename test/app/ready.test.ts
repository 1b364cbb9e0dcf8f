import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../support/command.js';
import { useDatabase } from '../support/database.js';
import { execute } from '../support/server.js';
import { startTestService, useService } from '../support/service.js';

const service = useService();

const status = async (path: string) => (await fetch(`${service.url}${path}`)).status;

describe('the operator', () => {
  it('sees that the process lives and can serve, and that it cannot while the schema is not the newest', async () => {
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 200]);
    await execute(service.databaseUrl, 'delete from migration where id = (select max(id) from migration)');
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 503]);
  });
});

describe('the release', () => {
  it('is at /healthz and said by ddp --version, as package.json has it', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await (await fetch(`${service.url}/healthz`)).json()).toEqual({ status: 'ok', version });
    expect(await runCommand(['--version'], {})).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});

describe('a service that is told to stop', () => {
  const database = useDatabase();

  it('says that it is not ready and ends each connection with its answer, before it stops to listen', async () => {
    const stopping = await startTestService(database.url);
    const get = (path: string) => fetch(`${stopping.url}${path}`);
    const before = await get('/readyz');
    expect([before.status, before.headers.get('connection')]).toEqual([200, 'keep-alive']);
    stopping.drain();
    const ready = await get('/readyz');
    const alive = await get('/healthz');
    expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
    expect([alive.status, alive.headers.get('connection')]).toEqual([200, 'close']);
    expect(await ready.json()).toMatchObject({ code: 'UNAVAILABLE', message: 'The service is stopping.' });
    await stopping.close();
    await expect(get('/healthz')).rejects.toThrow('fetch failed');
  });

  it('answers every request that has begun to come, whichever of its sockets took the connection', async () => {
    const stopping = await startTestService(database.url);
    const begun = await Promise.all(Array.from({ length: 20 }, () => begin(stopping.url)));
    const closed = stopping.close();
    const answers = await Promise.all(begun.map((finish) => finish()));
    expect(answers).toEqual(answers.map(() => expect.stringMatching(/^HTTP\/1.1 401 /)));
    await closed;
  });
});

/** Sends the first part of a request; what it gives sends the rest, and reads the whole answer. */
const begin = async (url: string): Promise<() => Promise<string>> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.write('POST /graphql HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n');
  // The service has taken the connection once an answer could come: it has read what was sent before a later request.
  await fetch(`${url}/healthz`);
  return async () => {
    socket.write('Connection: close\r\nContent-Length: 2\r\n\r\n{}');
    return text(socket);
  };
};
