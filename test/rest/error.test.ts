import { type IncomingMessage, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { TokenScope } from '#entities/enums.js';
import { Client } from '../support/client.js';
import { useService } from '../support/service.js';
import { createTenant, type Tenant } from '../support/tenant.js';

const MiB = 2 ** 20;

describe('REST errors', () => {
  const service = useService();
  let tenant: Tenant;
  let teams: string;
  beforeAll(async () => {
    tenant = await createTenant(service);
    teams = `/organizations/${tenant.id}/teams`;
  });

  it.each(['/nowhere', '/account/', '/Account', '/teams', '/organizations', '//account'])(
    'returns 404 for the path %s',
    async (path) => {
      expect(await tenant.owner.get(path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    },
  );

  it.each(['/nowhere', '/DDP/v1/account', '/Healthz'])('returns 404 outside the base path for %s', async (path) => {
    const response = await fetch(`${service.url}${path}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'NOT_FOUND', requestId: response.headers.get('x-request-id') });
  });

  it.each(['/healthz', '/readyz', '/metrics', '/avatars/x.svg', '/ddp/v1/docs'])(
    'returns 405 for PUT %s',
    async (path) => {
      const response = await fetch(`${service.url}${path}`, { method: 'PUT' });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
      expect(await response.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
    },
  );

  it('returns 405 for PUT /graphql, and 404 below /graphql', async () => {
    const put = await fetch(`${service.url}/graphql`, { method: 'PUT' });
    expect(put.status).toBe(405);
    expect(put.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
    expect(await put.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
    expect((await fetch(`${service.url}/graphql/more`)).status).toBe(404);
  });

  it('returns 405 with the allowed verbs for a verb that the path lacks', async () => {
    const answer = await tenant.owner.delete('/account');
    expect(answer).toMatchObject({ status: 405, body: { code: 'METHOD_NOT_ALLOWED' } });
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PUT, OPTIONS');
  });

  it('returns 400 for an invalid percent-encoding', async () => {
    for (const path of [`/teams/${tenant.id}/%zz`, `${teams}?q=%zz`, `${teams}?q=%ff`]) {
      expect(await tenant.owner.get(path)).toMatchObject({ status: 400, body: { code: 'MALFORMED_REQUEST' } });
    }
  });

  it.each(['{', '[]', 'null', '"text"', '1', '{"name":"A"} x', '\ufeffx'])(
    'returns 400 for the body %s',
    async (body) => {
      const answer = await tenant.owner.request('POST', teams, { body });
      expect(answer).toMatchObject({ status: 400, body: { code: 'MALFORMED_REQUEST' } });
    },
  );

  it.each(['records', 'ingest/the-things-stack', 'ingest/thingsboard/ab-01'])(
    'returns 400 for an empty or scalar body at %s',
    async (path) => {
      for (const body of ['', 'null', '5']) {
        const answer = await tenant.owner.request('POST', `/organizations/${tenant.id}/${path}`, { body });
        expect(answer).toMatchObject({ status: 400, body: { code: 'MALFORMED_REQUEST' } });
      }
    },
  );

  it('returns 400 for a body that is not UTF-8 or cannot be decompressed', async () => {
    const latin1 = await tenant.owner.request('POST', teams, { body: Buffer.from('{"name":"\xe9"}', 'latin1') });
    expect(latin1.status).toBe(400);
    const headers = { 'content-encoding': 'gzip' };
    const plain = await tenant.owner.request('POST', teams, { headers, body: '{"name":"A"}' });
    expect(plain.status).toBe(400);
  });

  it('returns 413 for a body over 1 MiB, also when it was compressed', async () => {
    const text = JSON.stringify({ name: 'A', description: 'x'.repeat(MiB) });
    expect(await tenant.owner.request('POST', teams, { body: text })).toMatchObject({
      status: 413,
      body: { code: 'TOO_LARGE' },
    });
    const packed = { headers: { 'content-encoding': 'gzip' }, body: gzipSync(text) };
    expect(await tenant.owner.request('POST', teams, packed)).toMatchObject({
      status: 413,
      body: { code: 'TOO_LARGE' },
    });
  });

  it('returns 415 for an unsupported content type, character set or encoding', async () => {
    for (const headers of <Record<string, string>[]>[
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'application/json; charset=latin1' },
      { 'content-encoding': 'compress' },
    ]) {
      const answer = await tenant.owner.request('POST', teams, { headers, body: '{"name":"A"}' });
      expect(answer).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
    }
  });

  it('returns 200 for a gzipped body, the UTF-8 character set and a content type with a suffix', async () => {
    const headers = { 'content-type': 'application/vnd.x+json; charset="UTF-8"', 'content-encoding': 'gzip' };
    const answer = await tenant.owner.request('POST', teams, { headers, body: gzipSync('{"name":"Ä"}') });
    expect(answer).toMatchObject({ status: 200, body: { name: 'Ä' } });
  });

  it('checks path, token, scope, body, input and existence in this order', async () => {
    const nobody = new Client(tenant.owner.base);
    const reader = await tenant.client({ scope: TokenScope.read });
    const bad = { body: '{' };
    const other = `/organizations/${crypto.randomUUID()}/teams`;
    expect((await nobody.request('POST', '/nowhere', bad)).status).toBe(404);
    expect((await nobody.request('DELETE', teams, bad)).status).toBe(405);
    expect((await nobody.request('POST', teams, bad)).status).toBe(401);
    expect((await reader.request('POST', teams, bad)).status).toBe(403);
    expect((await tenant.owner.request('POST', other, bad)).status).toBe(400);
    expect((await tenant.owner.post(other, {})).status).toBe(422);
    expect((await tenant.owner.post(other, { name: 'A' })).status).toBe(404);
  });

  it('returns 401 with the scheme Bearer for a missing or unknown token', async () => {
    for (const token of [undefined, 'x', `ddp_${'a'.repeat(43)}`]) {
      const answer = await new Client(tenant.owner.base, token).get('/account');
      expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it("returns the caller's X-Request-Id when it is plain, and a new one otherwise", async () => {
    const named = await tenant.owner.get<{ requestId: string }>('/nowhere', { headers: { 'x-request-id': 'abc-1' } });
    expect(named.headers.get('x-request-id')).toBe('abc-1');
    expect(named.body.requestId).toBe('abc-1');
    const odd = await tenant.owner.get<{ requestId: string }>('/nowhere', { headers: { 'x-request-id': 'a b' } });
    expect(odd.body.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('derived HTTP verbs', () => {
  const service = useService();
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await createTenant(service);
  });

  it('returns the headers of GET without a body for HEAD', async () => {
    const get = await tenant.owner.get('/account');
    const head = await tenant.owner.request('HEAD', '/account');
    expect(head).toMatchObject({ status: 200, body: undefined });
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });

  it('accepts a request line with an absolute address', async () => {
    const { hostname, port } = new URL(service.url);
    const path = `${tenant.owner.base}/accounts?limit=1`;
    const headers = { authorization: `Bearer ${tenant.owner.token}` };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ hostname, port, path, headers }, resolve).on('error', reject).end();
    });
    answer.resume();
    expect(answer.statusCode).toBe(200);
    expect(answer.headers.link).toContain(`<${tenant.owner.base}/accounts?limit=1&page=1>; rel="first"`);
  });

  it('returns 200 for HEAD of a GraphQL query', async () => {
    const headers = { authorization: `Bearer ${tenant.owner.token}`, 'content-type': 'application/json' };
    const { status } = await fetch(`${service.url}/graphql?query={account{id}}`, { method: 'HEAD', headers });
    expect(status).toBe(200);
  });

  it('returns the allowed verbs for OPTIONS without a token', async () => {
    const answer = await new Client(tenant.owner.base).request('OPTIONS', `/teams/${tenant.id}/x`);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE, OPTIONS');
  });
});
