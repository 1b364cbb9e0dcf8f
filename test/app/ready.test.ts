import { describe, expect, it } from '@jest/globals';
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
});
