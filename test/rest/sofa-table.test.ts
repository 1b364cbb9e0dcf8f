import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { useService } from '../support/service.js';
import { createTenant, createUser, type Tenant, withDatabase } from '../support/tenant.js';
import { overWire } from '../support/wire.js';

const { hooks } = readConfig({ HOOK_ALLOW_CIDRS: '127.0.0.0/8' });

/* One test for each row of SOFA's errors in docs/architecture/rest.md. */
describe('REST where SOFA alone would be wrong', () => {
  const service = useService({ config: { hooks } });
  let tenant: Tenant;
  let teams: string;
  beforeAll(async () => {
    tenant = await createTenant(service);
    teams = `/organizations/${tenant.id}/teams`;
  });

  it('returns 422 for a missing field', async () => {
    expect(await tenant.owner.post(teams, {})).toMatchObject({
      status: 422,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'name', message: 'is required' }] },
    });
  });

  it('returns 400 for a body that is not JSON', async () => {
    const answer = await tenant.owner.request('POST', teams, { body: '{"name":' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'MALFORMED_REQUEST' } });
  });

  it('hides the cause of an unexpected error', async () => {
    await withDatabase(service, (db) => db.query('alter table team rename column description to gone'));
    const answer = await tenant.owner.get(teams);
    await withDatabase(service, (db) => db.query('alter table team rename column gone to description'));
    expect(answer).toMatchObject({ status: 500, body: { code: 'INTERNAL' } });
    expect(JSON.stringify(answer.body)).not.toMatch(/column|description|select/i);
  });

  it('returns 422 for a query parameter that names a body field', async () => {
    const answer = await tenant.owner.post(`${teams}?name=Query`, { name: 'Body' });
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'name', message: 'is not a known parameter' }] },
    });
  });

  it('returns 422 for a number in a text field', async () => {
    const answer = await tenant.owner.post(teams, { name: 12 });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: 'name', message: 'must be a string' }] } });
  });

  it.each(['yes', '1', 'TRUE', ''])('returns 422 for hasProduct=%s', async (value) => {
    const answer = await tenant.owner.get(`/organizations/${tenant.id}/devices?hasProduct=${value}`);
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'hasProduct', message: 'must be true or false' }] },
    });
  });

  it('clears an optional field that PUT sends as null, and keeps an absent one', async () => {
    const made = await tenant.owner.post<{ id: string }>(teams, { name: 'A', description: 'Some.' });
    const path = `/teams/${tenant.id}/${made.body.id}`;
    expect((await tenant.owner.put(path, { name: 'B' })).body).toMatchObject({ name: 'B', description: 'Some.' });
    expect((await tenant.owner.put(path, { name: 'B', description: null })).body).not.toHaveProperty('description');
  });

  it('returns 422 for unknown fields', async () => {
    const answer = await tenant.owner.post(teams, { name: 'A', descripton: 'Some.' });
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'descripton', message: 'is not a known field' }] },
    });
  });

  it.each(['ids=A&ids=B', 'ids[]=A&ids[]=B', 'ids[0]=A&ids[1]=B', 'ids=A,B'])(
    'accepts the list spelling %s',
    async (spelling) => {
      const users = [await createUser(service), await createUser(service)];
      const query = spelling.replace('A', users[0]!).replace('B', users[1]!);
      const { body } = await tenant.owner.get<{ id: string }[]>(`/accounts?${query}`);
      expect(body.map(({ id }) => id)).toEqual(users);
    },
  );

  it('sends no body with 204, so that the next answer on the connection can be read', async () => {
    const made = await tenant.owner.post<{ id: string }>(teams, { name: 'A' });
    const head = `Host: x\r\nAuthorization: Bearer ${tenant.owner.token}\r\n`;
    const answers = await overWire(
      service.url,
      `DELETE /ddp/v1/teams/${tenant.id}/${made.body.id} HTTP/1.1\r\n${head}\r\n` +
        `GET /ddp/v1/account HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
    );
    const [first, second] = answers.split(/(?=HTTP\/1\.1 200)/);
    expect(first).toMatch(/^HTTP\/1\.1 204 No Content\r\n/);
    expect(first).not.toMatch(/content-(length|type)|transfer-encoding/i);
    expect(first).toMatch(/\r\n\r\n$/);
    expect(second).toContain(tenant.id);
  });

  it('reads a search from the body of GET or POST, and from both spellings of a query string', async () => {
    const made = await tenant.owner.post<{ id: string }>(`/organizations/${tenant.id}/applications`, { name: 'A' });
    const path = `/applications/${tenant.id}/${made.body.id}/search`;
    const body = { ts: { gte: 1, lte: 2.5 }, queries: [{ products: [], size: 1 }] };
    const answers = [
      await tenant.owner.request('GET', path, { body }),
      await tenant.owner.request('POST', path, { body }),
      await tenant.owner.get(`${path}?ts=${JSON.stringify(body.ts)}&queries=${JSON.stringify(body.queries)}`),
      await tenant.owner.get(`${path}?ts[gte]=1&ts[lte]=2.5&queries[0][products][]=&queries[0][size]=1`),
      await tenant.owner.get(`${path}?ts[gte]=1&ts[lte]=2.5&queries[0][products][]=x&queries[0][size]=1`),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 200,
        body: { responses: [{ status: 200, hits: { total: { value: 0 } } }] },
      });
    }
  });

  it('omits absent values, and keeps a null inside free-form JSON', async () => {
    const receiver = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"kept":null}');
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const application = await tenant.owner.post<{ id: string }>(`/organizations/${tenant.id}/applications`, {
      name: 'A',
    });
    expect(application.body).not.toHaveProperty('description');
    const hooks = `/applications/${tenant.id}/${application.body.id}/hooks`;
    const hook = await tenant.owner.post<{ id: string }>(hooks, { url: `http://127.0.0.1:${port}/x` });
    const { body } = await tenant.owner.post<object>(`${hooks}/${hook.body.id}/ping`);
    receiver.close();
    expect(body).toMatchObject({ request: { uri: { query: null } }, response: { body: { kept: null } } });
    expect(body).not.toHaveProperty('deviceId');
  });

  it('returns 404 for routes of SOFA that the route table does not list', async () => {
    for (const [verb, path] of [
      ['POST', '/webhook'],
      ['DELETE', '/webhook/1'],
      ['GET', '/api-tokens'],
      ['POST', '/create-api-token'],
      ['POST', '/create-team'],
    ] as const) {
      expect(await tenant.owner.request(verb, path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    }
  });
});
