import { beforeAll, describe, expect, it } from '@jest/globals';
import { hourSeconds } from '#common/time.js';
import { useService } from '../support/service.js';
import { createTenant, type Tenant } from '../support/tenant.js';

interface Answer {
  took: number;
  responses: {
    status: number;
    hits: { total: object; hits: { _source: { ts: number; data: object } }[] };
    aggregations: object;
    error: object;
  }[];
}

const service = useService();
let tenant: Tenant;
let other: Tenant;
let path: string;

const start = Math.floor(Date.now() / 1000 / hourSeconds) * hourSeconds - 24 * hourSeconds;
const range = { gte: start, lte: start + 24 * hourSeconds };

beforeAll(async () => {
  tenant = await createTenant(service);
  other = await createTenant(service);
  const { owner, id } = tenant;
  const product = await owner.post<{ id: string }>(`/organizations/${id}/products`, {
    name: 'Probe',
    version: '1',
    variables: [{ name: 'temperature', type: 'FLOAT32' }],
  });
  const device = await owner.post<{ id: string }>(`/organizations/${id}/devices/ab-01`, {
    product: { id: product.body.id, organizationId: id },
  });
  const application = await owner.post<{ id: string }>(`/organizations/${id}/applications`, {
    name: 'Field',
    hasDashboard: false,
  });
  await owner.put(`/applications/${id}/${application.body.id}/devices/${device.body.id}`);
  await owner.post(`/organizations/${id}/records`, [
    { serial: 'ab-01', ts: start, metadata: { rssi: -90 }, data: { temperature: 20 } },
    { serial: 'ab-01', ts: start + 60, metadata: { rssi: -80 }, data: { temperature: '22' } },
    { serial: 'ab-01', ts: start + 2 * hourSeconds, data: { temperature: 30 } },
  ]);
  path = `/applications/${id}/${application.body.id}/search`;
});

describe('GET and POST /applications/:organizationId/:applicationId/search', () => {
  const hourly = {
    products: [],
    size: 1,
    sort: [{ ts: 'desc' }],
    query: { range: { 'data.temperature': { gte: 20 } } },
    aggs: {
      hours: {
        date_histogram: { field: 'ts', fixed_interval: '1h', min_doc_count: 1 },
        aggs: { mean: { avg: { field: 'data.temperature' } } },
      },
    },
  };

  it('returns hits and an hourly average of posted records', async () => {
    const { status, body } = await tenant.owner.post<Answer>(path, { ts: range, queries: [hourly] });
    expect(status).toBe(200);
    expect(body.responses).toMatchObject([
      {
        status: 200,
        timed_out: false,
        hits: {
          total: { value: 3, relation: 'eq' },
          hits: [
            {
              _source: { ts: start + 2 * hourSeconds, data: { temperature: 30 }, device: { serial: 'ab-01' } },
              sort: [start + 2 * hourSeconds],
            },
          ],
        },
        aggregations: {
          hours: {
            buckets: [
              { key: start * 1000, doc_count: 2, mean: { value: 21 } },
              { key: (start + 2 * hourSeconds) * 1000, doc_count: 1, mean: { value: 30 } },
            ],
          },
        },
      },
    ]);
  });

  it('accepts the same query as a JSON body of GET, as JSON and as brackets in the query string', async () => {
    const queries = [{ products: [], size: 2, query: { range: { 'data.temperature': { lt: 25 } } } }];
    const json = new URLSearchParams({ ts: JSON.stringify(range), queries: JSON.stringify(queries) });
    const brackets = `ts[gte]=${range.gte}&ts[lte]=${range.lte}&queries[0][products]=&queries[0][size]=2&queries[0][query][range][data.temperature][lt]=25`;
    const asked = await Promise.all([
      tenant.owner.request<Answer>('GET', path, { body: { ts: range, queries } }),
      tenant.owner.get<Answer>(`${path}?${json}`),
      tenant.owner.get<Answer>(`${path}?${brackets.replace('queries[0][products]=', 'queries[0][products][]=')}`),
    ]);
    const found = asked.map(({ body }) => body.responses[0]!.hits?.hits.map(({ _source }) => _source.ts));
    expect(found).toEqual([
      [start + 60, start],
      [start + 60, start],
      [start + 60, start],
    ]);
  });

  it('returns an error with its position for an invalid query, and answers the others', async () => {
    const text = `{"ts":${JSON.stringify(range)},"queries":[{"products":[]},\n{"products":[],"query":{"terrm":{"a":1}}}]}`;
    const { body } = await tenant.owner.request<Answer>('POST', path, { body: text });
    expect(body.responses[0]).toMatchObject({ status: 200, hits: { total: { value: 3 } } });
    expect(body.responses[1]).toEqual({
      status: 400,
      error: {
        type: 'parsing_exception',
        reason: 'unknown query [terrm] did you mean any of [term, terms]?',
        root_cause: [{ type: 'parsing_exception', reason: 'unknown query [terrm] did you mean any of [term, terms]?' }],
        path: 'queries.1.query.terrm',
        line: 2,
        col: 33,
        caused_by: { type: 'named_object_not_found_exception', reason: '[2:33] unknown field [terrm]' },
      },
    });
  });

  it.each([
    ['no ts', { queries: [] }, 'ts'],
    ['a ts without lte', { ts: { gte: 1 }, queries: [] }, 'ts.lte'],
    ['a ts of text', { ts: { gte: 'x', lte: 2 }, queries: [] }, 'ts.gte'],
    ['no queries', { ts: range }, 'queries'],
    ['queries that are no array', { ts: range, queries: {} }, 'queries'],
    ['101 queries', { ts: range, queries: Array.from({ length: 101 }, () => ({ products: [] })) }, 'queries'],
    ['a query that is no object', { ts: range, queries: [{ products: [] }, 1] }, 'queries.1'],
    ['a query without products', { ts: range, queries: [{}] }, 'queries.0.products'],
  ])('returns 422 with the field for %s', async (_name, body, field) => {
    const answer = await tenant.owner.post<{ errors: { path: string }[] }>(path, body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map((fault) => fault.path)).toContain(field);
  });

  it('returns nested arrays as they were stored, with source filters too', async () => {
    const { owner, id } = tenant;
    const ts = start - hourSeconds;
    const nested = { a: [1, [2, []], null, [[3]]], o: [{ x: [1, [2]] }] };
    await owner.post(`/organizations/${id}/records`, [{ serial: 'ab-01', ts, data: { ...nested, secret: [1] } }]);
    const patterns = [{ includes: ['data.a', 'data.o'] }, { _source: { excludes: ['data.secret'] } }];
    const queries = patterns.map((pattern) => ({ products: [], ...pattern }));
    const { body } = await owner.post<Answer>(path, { ts: { gte: ts, lte: ts }, queries });
    expect(body.responses.map(({ hits }) => hits.hits[0]!._source.data)).toEqual([nested, nested]);
  });

  it('finds nothing for products that are no identifiers, and every record for an empty list', async () => {
    const { owner, id } = tenant;
    const { body: products } = await owner.get<{ id: string }[]>(`/organizations/${id}/products`);
    const lists = [[], [products[0]!.id], [products[0]!.id.toUpperCase()], [''], ['x']];
    const queries = lists.map((list) => ({ products: list, size: 0 }));
    const { body } = await owner.post<Answer>(path, { ts: range, queries });
    const totals = body.responses.map(({ hits }) => (hits.total as { value: number }).value);
    expect(totals.slice(2)).toEqual([0, 0, 0]);
    expect(totals[0]).toBeGreaterThanOrEqual(totals[1]!);
    expect(totals[1]).toBeGreaterThan(0);
  });

  it('returns an empty list for an empty list of queries', async () => {
    const { body } = await tenant.owner.post<Answer>(path, { ts: range, queries: [] });
    expect(body.responses).toEqual([]);
  });

  it('returns 404 to another organization', async () => {
    const { status } = await other.owner.post(path, { ts: range, queries: [hourly] });
    expect(status).toBe(404);
  });

  it('finds records only while their device is linked', async () => {
    const { owner, id } = tenant;
    const [device] = (await owner.get<{ id: string }[]>(`/organizations/${id}/devices`)).body;
    const links = `${path.replace('/search', '/devices')}/${device!.id}`;
    await owner.delete(links);
    const without = await owner.post<Answer>(path, { ts: range, queries: [{ products: [] }] });
    await owner.put(links);
    const again = await owner.post<Answer>(path, { ts: range, queries: [{ products: [] }] });
    expect([without, again].map(({ body }) => body.responses[0]!.hits.total)).toEqual([
      { value: 0, relation: 'eq' },
      { value: 3, relation: 'eq' },
    ]);
  });
});

describe('query on device.serial', () => {
  it.each([
    ['term', { term: { 'device.serial': 'AB01' } }],
    ['terms', { terms: { 'device.serial': ['ff', 'a-b01'] } }],
    ['prefix', { prefix: { 'device.serial': 'AB-0' } }],
    ['wildcard', { wildcard: { 'device.serial': 'A-B*1' } }],
    ['regexp', { regexp: { 'device.serial': 'AB-?0.' } }],
    ['range', { range: { 'device.serial': { gte: 'AB-00', lte: 'ab01' } } }],
    ['query_string', { query_string: { query: 'device.serial:AB01' } }],
  ])('ignores case and dashes in a %s query', async (_, query) => {
    const { body } = await tenant.owner.post<Answer>(path, { ts: range, queries: [{ products: [], query }] });
    expect(body.responses).toMatchObject([{ status: 200, hits: { total: { value: 3 } } }]);
  });
});
