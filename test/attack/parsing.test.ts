import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { useService } from '../support/service.js';
import { createTenant, type Tenant } from '../support/tenant.js';
import { delayDuring } from './delay.js';

/**
 * In milliseconds. Each of these attacks once took over a second; a busy machine adds some hundreds of milliseconds.
 */
const frozen = 500;

interface Answer {
  responses: { status: number; hits?: { total: { value: number }; hits: object[] }; error?: { type: string } }[];
}

const service = useService({});
let tenant: Tenant;
let search: string;
let records: string;
const ts = Math.floor(Date.now() / 1000) - 60;

beforeAll(async () => {
  tenant = await createTenant(service);
  const { owner, id } = tenant;
  const product = await owner.post<{ id: string }>(`/organizations/${id}/products`, {
    name: 'Probe',
    version: '1',
    variables: [
      { name: 'n', type: 'INT64' },
      { name: 'txt', type: 'TXT' },
    ],
  });
  const device = await owner.post<{ id: string }>(`/organizations/${id}/devices/ab-01`, {
    product: { id: product.body.id, organizationId: id },
  });
  const application = await owner.post<{ id: string }>(`/organizations/${id}/applications`, {
    name: 'Field',
    hasDashboard: false,
  });
  await owner.put(`/applications/${id}/${application.body.id}/devices/${device.body.id}`);
  records = `/organizations/${id}/records`;
  search = `/applications/${id}/${application.body.id}/search`;
  await owner.post(records, { serial: 'ab-01', ts, data: { n: 1, txt: 'x', ['a'.repeat(200)]: 1 } });
});

const ask = (queries: object[]) => {
  const body = { ts: { gte: ts - 60, lte: ts + 60 }, queries: queries.map((query) => ({ products: [], ...query })) };
  return tenant.owner.post<Answer>(search, body);
};

const blanks = ' '.repeat(60_000);
const dates = { range: { ts: { gte: `${'1'.repeat(43)}x`, format: 'dHms'.repeat(7) } } };
const histogram = (inner: object) => ({
  size: 0,
  aggs: {
    h: { date_histogram: { field: 'ts', fixed_interval: '1h' }, aggs: { c: { sum: { field: 'data.n' } }, ...inner } },
  },
});

describe('search query that is expensive to parse', () => {
  it.each<[string, object]>([
    ['a date format whose letters may each take one digit or two', { query: dates }],
    ['a query string of 30,000 parentheses', { query: { query_string: { query: '('.repeat(30_000) } } }],
    ['a query string of 2,000 words', { query: { query_string: { query: `a${' OR a'.repeat(2000)}` } } }],
    [
      'a query string of 100 parentheses',
      { query: { query_string: { query: `${'('.repeat(100)}a${')'.repeat(100)}` } } },
    ],
    ['a simple query string of 30,000 words', { query: { simple_query_string: { query: 'a '.repeat(30_000) } } }],
    ['a simple query string of 2,000 words', { query: { simple_query_string: { query: 'a '.repeat(2000) } } }],
    ['a simple query string of 30,000 parentheses', { query: { simple_query_string: { query: '('.repeat(30_000) } } }],
    [
      'a simple query string of 100 parentheses',
      { query: { simple_query_string: { query: `${'('.repeat(100)}a${')'.repeat(100)}` } } },
    ],
    [
      'a distance of 60,000 blanks',
      { query: { geo_distance: { distance: `1${blanks}x`, 'device.location': { lat: 1, lon: 1 } } } },
    ],
    ['a number of 60,000 blanks', { query: { term: { 'data.n': `1${blanks}x` } } }],
    [
      'a moving_fn script of 60,000 blanks',
      histogram({ m: { moving_fn: { buckets_path: 'c', window: 3, script: `MovingFunctions.max(values${blanks}x` } } }),
    ],
    [
      'a bucket_script of 500 parentheses',
      histogram({
        m: { bucket_script: { buckets_path: { c: 'c' }, script: `${'('.repeat(500)}1${')'.repeat(500)}` } },
      }),
    ],
    [
      'a number format of 16,000 commas',
      { size: 0, aggs: { s: { sum: { field: 'data.n', format: `${','.repeat(16_000)}x` } } } },
    ],
    ['a number format of 101 digits', { size: 0, aggs: { s: { sum: { field: 'data.n', format: '0'.repeat(101) } } } }],
    ['a pattern of parts of 60,000 characters', { includes: ['*a'.repeat(30_000)] }],
    ['a field of 60,000 characters', { query: { exists: { field: 'a'.repeat(60_000) } } }],
  ])('fails without affecting the other query of the call, within 500 ms: %s', async (_, query) => {
    const { result, longest } = await delayDuring(() => ask([query, {}]));
    expect(result.body.responses.map(({ status }) => status)).toEqual([400, 200]);
    expect(result.body.responses[0]!.error!.type).toMatch(/_exception$/);
    expect(longest).toBeLessThan(frozen);
  });

  it('matches a source pattern with many stars against a long key within 500 ms', async () => {
    const stars = ['*a*a*a*a*a*b'];
    const { result, longest } = await delayDuring(() =>
      ask([{ includes: stars }, { _source: { excludes: stars } }, { fields: stars }, { docvalue_fields: stars }]),
    );
    expect(result.body.responses.map(({ status, hits }) => [status, hits?.total.value])).toEqual(
      Array.from({ length: 4 }, () => [200, 1]),
    );
    expect(longest).toBeLessThan(frozen);
  });

  it('matches a field pattern with many stars within 500 ms', async () => {
    const { result, longest } = await delayDuring(() =>
      ask([{ query: { multi_match: { query: 'x', fields: ['*a*a*a*a*a*b', 'data.t*t'] } } }]),
    );
    expect(result.body.responses).toMatchObject([{ status: 200, hits: { total: { value: 1 } } }]);
    expect(longest).toBeLessThan(frozen);
  });

  it('returns 400 for clauses that together search more than 4,096 fields', async () => {
    const everywhere = { multi_match: { query: 'x', fields: ['*', '*', '*'], lenient: true } };
    const { result, longest } = await delayDuring(() =>
      ask([{ query: { bool: { should: Array.from({ length: 1000 }, () => everywhere) } } }, {}]),
    );
    expect(result.body.responses).toMatchObject([
      { status: 400, error: { reason: 'Query contains too many nested clauses; maxClauseCount is set to 4096' } },
      { status: 200 },
    ]);
    expect(longest).toBeLessThan(frozen);
  });

  it.each<[string, string]>([
    ['a number of 60,000 digits', `{"term":{"data.n":1${'0'.repeat(60_000)}1}}`],
    ['a query nested deeper than 64', `${'{"bool":{"must":'.repeat(40)}{}${'}}'.repeat(40)}`],
  ])('fails with json_parse_exception and its line without affecting the other query: %s', async (_, query) => {
    const body = `{"ts":{"gte":${ts - 60},"lte":${ts + 60}},"queries":[{"products":[],"query":${query}},{"products":[]}]}`;
    const { result, longest } = await delayDuring(() => tenant.owner.post<Answer>(search, body));
    expect(result.status).toBe(200);
    expect(result.body.responses).toMatchObject([
      { status: 400, error: { type: 'json_parse_exception', line: 1 } },
      { status: 200, hits: { total: { value: 1 } } },
    ]);
    expect(longest).toBeLessThan(frozen);
  });

  it('fails over GraphQL without affecting the other query when nested deeper than 64', async () => {
    let query: object = { match_all: {} };
    for (let depth = 0; depth < 1000; depth += 1) query = { bool: { must: query } };
    const [organizationId, applicationId] = search.split('/').slice(2);
    const variables = {
      organizationId,
      applicationId,
      ts: { gte: ts - 60, lte: ts + 60 },
      queries: [{ products: [], query }, { products: [] }],
    };
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${tenant.owner.token}` },
      body: JSON.stringify({
        query: `query($organizationId: ID!, $applicationId: ID!, $ts: LocatedJSON!, $queries: LocatedJSON!) {
          search(organizationId: $organizationId, applicationId: $applicationId, ts: $ts, queries: $queries) { responses } }`,
        variables,
      }),
    });
    const body = (await response.json()) as { data: { search: Answer } };
    expect(body.data.search.responses).toMatchObject([{ status: 400 }, { status: 200 }]);
  });

  it('accepts 65,536 terms, and a search_after value of any length', async () => {
    const terms = Array.from({ length: 65_536 }, (_, index) => index);
    const { body } = await ask([
      { query: { terms: { 'data.n': terms } } },
      { sort: ['data.txt'], search_after: ['x'.repeat(5000)] },
    ]);
    expect(body.responses).toMatchObject([{ status: 200, hits: { total: { value: 1 } } }, { status: 200 }]);
  });

  it('returns 413 for a body with too many values', async () => {
    const body = `{"ts":{},"queries":[${'[],'.repeat(300_000)}1]}`;
    const { result, longest } = await delayDuring(() => tenant.owner.post(search, body));
    expect(result).toMatchObject({ status: 413, body: { code: 'TOO_LARGE' } });
    expect(longest).toBeLessThan(frozen);
  });
});

describe('records that are expensive to parse', () => {
  const send = (body: string | Buffer, headers: Record<string, string> = {}) =>
    delayDuring(() =>
      tenant.owner.request<{ accepted: number; results: object[] }>('POST', records, {
        body,
        headers: { 'content-type': 'application/json', ...headers },
      }),
    );
  const long = `1${'0'.repeat(59_998)}1`;
  const good = `{"serial":"ab-01","data":{"n":1}}`;

  it('rejects only the item with a number of 60,000 digits', async () => {
    const { result, longest } = await send(`[${good},{"serial":"ab-01","data":{"n":${long}}},${good}]`);
    expect(result.body).toMatchObject({
      accepted: 2,
      results: [{ index: 1, status: 'rejected', error: { code: 'MALFORMED_REQUEST' } }],
    });
    expect(longest).toBeLessThan(frozen);
  });

  it('rejects only the item nested deeper than 64', async () => {
    const deep = `${'['.repeat(65)}${']'.repeat(65)}`;
    const { result } = await send(`[${good},{"serial":"ab-01","data":{"n":${deep}}},${good}]`);
    expect(result.body).toMatchObject({ accepted: 2, results: [{ index: 1, status: 'rejected' }] });
  });

  it('ignores a text of 60,000 digits as a number within 500 ms', async () => {
    const { result, longest } = await send(`{"serial":"ab-01","data":{"n":"${long}x"}}`);
    expect(result.body).toMatchObject({ accepted: 1, results: [] });
    expect(longest).toBeLessThan(frozen);
  });

  it('returns 413 for a small gzip body of millions of values or errors', async () => {
    const bombs = [`[1e400${',[]'.repeat(3_000_000)}]`, `[1${`,${'['.repeat(65)}${']'.repeat(65)}`.repeat(60_000)}]`];
    for (const bomb of bombs) {
      const { result, longest } = await send(gzipSync(bomb), { 'content-encoding': 'gzip' });
      expect(result).toMatchObject({ status: 413, body: { code: 'TOO_LARGE' } });
      expect(longest).toBeLessThan(frozen);
    }
  });

  it('returns 413 for too many lines without reading all of them', async () => {
    const { result, longest } = await send('x\n'.repeat(2_000_000), { 'content-type': 'application/x-ndjson' });
    expect(result).toMatchObject({ status: 413, body: { code: 'TOO_LARGE' } });
    expect(longest).toBeLessThan(frozen);
  });
});

describe('batch of 20 searches', () => {
  it('listens once for the end of its request', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error) => void warnings.push(name);
    process.on('warning', note);
    try {
      const [, , organizationId, applicationId] = search.split('/').map((part) => JSON.stringify(part));
      const query = `{ search(organizationId: ${organizationId}, applicationId: ${applicationId}, ts: { gte: 0, lte: 4e9 }, queries: [{ products: [] }]) { responses } }`;
      const { body, statusCode } = await request(`${service.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.owner.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(Array.from({ length: 20 }, () => ({ query }))),
      });
      expect([statusCode, (await body.json()) as unknown]).toEqual([
        200,
        Array.from({ length: 20 }, () => ({ data: expect.any(Object) as object })),
      ]);
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('warning', note);
    }
    expect(warnings).toEqual([]);
  });
});

describe('batch of 20 calls of assistants', () => {
  /** 480 characters of words that occur in many parts of the schema. */
  const words =
    'device record series application hook alert episode product variable value query field type string organization limit first after filter page cursor sort time node edges serial name tag location usage quota job token session member team user account audit event dashboard link panel delivery attempt import export file changes items only order number identifier true false default object list returns caller can read newest oldest total count state kind reason since until within between many each other';
  const message = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'schema_search', arguments: { question: `${words.slice(0, 480)} ${id}`, limit: 20 } },
  });
  const post = async (messages: object) => {
    const { status, body } = await request(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.owner.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(messages),
    }).then(async (answer) => ({ status: answer.statusCode, body: await answer.body.text() }));
    return [status, body.split('structuredContent').length];
  };

  it('blocks the event loop for less than 60 ms with 320 searches of the schema', async () => {
    // Loads the protocol's library and makes the index of the schema.
    await post(message(0));
    const batch = Array.from({ length: 20 }, (_, id) => message(id));
    const { result, longest } = await delayDuring(() => Promise.all(Array.from({ length: 16 }, () => post(batch))));
    expect(result).toEqual(Array.from({ length: 16 }, () => [200, 21]));
    expect(longest).toBeLessThan(60);
  }, 60_000);
});
