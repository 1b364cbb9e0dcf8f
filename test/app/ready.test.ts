import { describe, expect, it } from '@jest/globals';
import { execute } from '../support/server.js';
import { useService } from '../support/service.js';

const service = useService();

const status = async (path: string) => (await fetch(`${service.url}${path}`)).status;

describe('the operator', () => {
  it('sees that the process lives and can serve, and that it cannot while the schema is not the newest', async () => {
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 200]);
    await execute(service.databaseUrl, 'delete from migration where id = (select max(id) from migration)');
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 503]);
  });
});
