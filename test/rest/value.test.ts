import { beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import type { Client } from '../support/client.js';
import { useService } from '../support/service.js';
import { createTenant, withDatabase } from '../support/tenant.js';

const service = useService();
let owner: Client;
let organization: string;
let application: string;

beforeAll(async () => {
  const tenant = await createTenant(service);
  owner = tenant.owner;
  organization = `/organizations/${tenant.id}`;
  const { body } = await owner.post<{ id: string }>(`${organization}/applications`, { name: 'Fleet' });
  application = `/applications/${tenant.id}/${body.id}`;
});

describe('empty text in REST input', () => {
  it("removes a variable's unit when a product is created or changed", async () => {
    const variables = [{ name: 'level', type: 'UINT8', unit: '' }];
    const made = await owner.post<{ id: string; variables: object[] }>(`${organization}/products`, {
      name: 'Probe',
      version: '1',
      variables,
    });
    expect(made).toMatchObject({ status: 200, body: { variables: [{ name: 'level', type: 'UINT8' }] } });
    const path = `${organization.replace('organizations', 'products')}/${made.body.id}`;
    for (const { body } of [
      made,
      await owner.put(path, { name: 'Probe', version: '1', variables }),
      await owner.get(path),
    ])
      expect((body as { variables: object[] }).variables[0]).not.toHaveProperty('unit');
    const blank = { name: 'Probe', version: '1', variables: [{ ...variables[0], unit: ' ' }] };
    expect(await owner.put(path, blank)).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'variables.0.unit' }] },
    });
  });

  it('counts as no record key', async () => {
    await owner.post(`${organization}/devices/ab-01`, {});
    const item = { serial: 'ab-01', key: '', data: { level: 1 } };
    expect((await owner.post(`${organization}/records`, [item, item])).body).toMatchObject({
      accepted: 2,
      duplicates: 0,
    });
  });
});

describe('error path', () => {
  it('names the header Idempotency-Key as it is sent', async () => {
    const answer = await owner.request('POST', `${organization}/records`, {
      body: [],
      headers: { 'idempotency-key': 'x'.repeat(201) },
    });
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'Idempotency-Key' }], message: expect.stringContaining('Idempotency-Key ') },
    });
  });

  it('names each invalid item of a list', async () => {
    const tags = ['good', 'x'.repeat(65), 'fine', ''];
    const { body } = await owner.post<{ errors: object[] }>(`${organization}/devices/ab-02`, { tags });
    expect(body.errors).toEqual([
      { path: 'tags.1', message: expect.any(String) },
      { path: 'tags.3', message: expect.any(String) },
    ]);
    expect(JSON.stringify(body.errors)).not.toContain('each value');
  });
});

describe('search input', () => {
  const range = { gte: 1.7e9, lte: 4e9 };

  it('reads a single bracketed product as an array of one', async () => {
    const none = '019aa0de-7c00-7000-8000-00000000a004';
    const brackets = (products: string) => `ts[gte]=${range.gte}&ts[lte]=${range.lte}&queries[0]${products}`;
    const total = async (query: string) => {
      const { body } = await owner.get<{ responses: [{ hits: { total: { value: number } } }] }>(
        `${application}/search?${query}`,
      );
      return body.responses[0].hits.total.value;
    };
    const { body: device } = await owner.post<{ id: string }>(`${organization}/devices/ab-03`, {});
    await owner.put(`${application}/devices/${device.id}`);
    await owner.post(`${organization}/records`, { serial: 'ab-03', data: { level: 1 } });
    expect(await total(brackets('[products][]='))).toBe(1);
    expect(await total(brackets(`[products]=${none}`))).toBe(0);
    expect(await total(`${brackets('[products][]=')}&queries[0][includes]=data.level`)).toBe(1);
  });

  it('returns 422 for a text bound in a JSON body', async () => {
    const bounds = [{ gte: '1700000000' }, { lte: '4000000000' }];
    for (const bound of bounds) {
      expect(
        await owner.post(`${application}/search`, { ts: { ...range, ...bound }, queries: [{ products: [] }] }),
      ).toMatchObject({ status: 422, body: { errors: [{ path: `ts.${Object.keys(bound)[0]}` }] } });
    }
    const one = { ts: range, queries: [{ products: 'p' }] };
    expect(await owner.post(`${application}/search`, one)).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'queries.0.products' }] },
    });
  });
});

describe('sort', () => {
  it.each(['name', 'slug'])('ignores case by %s, with ties by id', async (field) => {
    const tenant = await createTenant(service);
    const names = ['beta', 'Alpha', 'alpha', 'Gamma', 'Beta'];
    const path = `/organizations/${tenant.id}/applications`;
    for (const name of names) await tenant.owner.post(path, { name, description: name });
    const sorted = async (sort: string) =>
      (await tenant.owner.get<{ name: string }[]>(`${path}?sort=${sort}`)).body.map(({ name }) => name);
    expect(await sorted(field)).toEqual(['Alpha', 'alpha', 'beta', 'Beta', 'Gamma']);
    expect(await sorted(`-${field}`)).toEqual(['Gamma', 'beta', 'Beta', 'Alpha', 'alpha']);
    expect(await sorted('description')).toEqual(['Alpha', 'alpha', 'beta', 'Beta', 'Gamma']);
  });

  it('reads the first page by name from an index', async () => {
    const plan = await withDatabase(service, async (db) => {
      await db.query('begin; set local enable_seqscan = off; set local enable_sort = off');
      const { rows } = await db.query<{ 'QUERY PLAN': string }>(
        `explain select d.id from device d where d.organization_id = '019aa0de-7c00-7000-8000-00000000a001' order by lower(d.name), d.id limit 10`,
      );
      await db.query('rollback');
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    expect(plan).toContain('device_name');
  });
});

describe('OPTIONS', () => {
  it.each([
    ['/graphql', 'GET, HEAD, POST, OPTIONS'],
    ['/healthz', 'GET, HEAD, OPTIONS'],
    ['/readyz', 'GET, HEAD, OPTIONS'],
    ['/metrics', 'GET, HEAD, OPTIONS'],
    ['/avatars/a.svg', 'GET, HEAD, OPTIONS'],
    ['/ddp/v1/openapi.json', 'GET, HEAD, OPTIONS'],
    ['/ddp/v1/docs', 'GET, HEAD, OPTIONS'],
    ['/ddp/v1/account', 'GET, HEAD, PUT, OPTIONS'],
  ])('returns the allowed verbs of %s', async (path, allow) => {
    const { statusCode, headers } = await request(`${service.url}${path}`, { method: 'OPTIONS' });
    expect({ statusCode, allow: headers['allow'] }).toEqual({ statusCode: 204, allow });
  });
});
