import { beforeAll, describe, expect, it } from '@jest/globals';
import { useService } from '../support/service.js';
import { createTenant, type Tenant } from '../support/tenant.js';

interface Hit {
  _source: { ts: number };
  sort: number[];
  fields: { ts: string[] };
}
interface Bucket {
  key: string;
  2: { buckets: object[] };
}
interface Response {
  hits: { hits: Hit[] };
  aggregations: { 4: { buckets: Bucket[] } };
}

const service = useService();
let tenant: Tenant;
let base: string;
const minute = 60_000;
const start = Math.floor(Date.now() / minute) * minute - 60 * minute;

beforeAll(async () => {
  tenant = await createTenant(service);
  const { owner, id } = tenant;
  const product = await owner.post<{ id: string }>(`/organizations/${id}/products`, {
    name: 'Probe',
    version: '1',
    variables: [
      { name: 'float', type: 'FLOAT32' },
      { name: 'label', type: 'TXT' },
    ],
  });
  const device = await owner.post<{ id: string }>(`/organizations/${id}/devices/ab-01`, {
    product: { id: product.body.id, organizationId: id },
  });
  const application = await owner.post<{ id: string }>(`/organizations/${id}/applications`, { name: 'Field' });
  await owner.put(`/applications/${id}/${application.body.id}/devices/${device.body.id}`);
  await owner.post(`/organizations/${id}/records`, [
    { serial: 'ab-01', ts: start / 1000, data: { float: 1.5, label: 'red' } },
    { serial: 'ab-01', ts: start / 1000 + 120, data: { float: 2.5, label: 'red' } },
    { serial: 'ab-01', ts: start / 1000 + 60, data: { float: 4, label: 'blue' } },
  ]);
  base = `/applications/${id}/${application.body.id}/elasticsearch`;
});

const send = (text: string) =>
  tenant.owner.request<{ responses: Response[] }>('POST', `${base}/_msearch?max_concurrent_shard_requests=5`, {
    headers: { 'content-type': 'application/x-ndjson' },
    body: text,
  });
const msearch = (...bodies: object[]) => {
  const lines = bodies.flatMap((body) => [
    { ignore_unavailable: true, index: 'records', search_type: 'query_then_fetch' },
    body,
  ]);
  return send(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
};

describe("what Grafana's Elasticsearch data source sends", () => {
  const between = { range: { ts: { format: 'epoch_millis', gte: start - minute, lte: start + 5 * minute } } };

  it('finds a version, a healthy cluster, a mapping and fields', async () => {
    const { owner } = tenant;
    expect((await owner.get(base)).body).toMatchObject({ version: { number: expect.stringMatching(/^8\./) } });
    expect((await owner.get(`${base}/`)).body).toEqual((await owner.get(base)).body);
    expect((await owner.get(`${base}/_cluster/health/`)).status).toBe(404);
    expect((await owner.get(`${base}/_cluster/health`)).body).toMatchObject({ status: 'green' });
    expect((await owner.get(`${base}/_mapping`)).body).toMatchObject({
      records: {
        mappings: {
          properties: {
            ts: { type: 'date' },
            data: { properties: { float: { type: 'double' }, label: { type: 'keyword' } } },
          },
        },
      },
    });
    expect((await owner.get(`${base}/_field_caps?fields=*`)).body).toMatchObject({
      fields: { 'data.float': { double: { aggregatable: true } } },
    });
  });

  it('refuses a query that is no JSON, or no object, and answers the others', async () => {
    const { status, body } = await send('{}\n{"size":x}\n{}\n5\n\n{}\n[{"size":0}]\n{}\n{"size":\n{}\n{"size":1}\n');
    expect(status).toBe(200);
    const answers = body.responses as unknown as { status: number; error?: { type: string; reason: string } }[];
    expect(answers.map((answer) => [answer.status, answer.error?.type])).toEqual([
      [400, 'json_parse_exception'],
      [400, 'parsing_exception'],
      [400, 'parsing_exception'],
      [400, 'json_parse_exception'],
      [200, undefined],
    ]);
    expect(answers[1]?.error?.reason).toBe('Expected [START_OBJECT] but found [VALUE_NUMBER]');
  });

  it('refuses a call whose headers are no JSON, or without a query for each', async () => {
    expect(await send('{x\n{"size":1}\n')).toMatchObject({ status: 422, body: { errors: [{ path: '0' }] } });
    expect((await send('{}\n{"size":1}\n{}\n')).status).toBe(422);
  });

  it('answers its metric query with buckets in milliseconds', async () => {
    const { status, body } = await msearch({
      size: 0,
      query: { bool: { filter: between } },
      aggs: {
        4: {
          terms: { field: 'data.label', order: { _key: 'desc' }, size: 10 },
          aggs: {
            2: {
              date_histogram: {
                field: 'ts',
                fixed_interval: '1m',
                min_doc_count: 0,
                extended_bounds: { min: start, max: start + 2 * minute },
                format: 'epoch_millis',
              },
              aggs: {
                1: { max: { field: 'data.float' } },
                3: { percentiles: { field: 'data.float', percents: ['50'] } },
              },
            },
          },
        },
      },
    });
    expect(status).toBe(200);
    const [red, blue] = body.responses[0]!.aggregations[4].buckets;
    expect([red?.key, blue?.key]).toEqual(['red', 'blue']);
    expect(red?.[2].buckets).toEqual([
      { key_as_string: `${start}`, key: start, doc_count: 1, 1: { value: 1.5 }, 3: { values: { '50.0': 1.5 } } },
      {
        key_as_string: `${start + minute}`,
        key: start + minute,
        doc_count: 0,
        1: { value: null },
        3: { values: { '50.0': null } },
      },
      {
        key_as_string: `${start + 2 * minute}`,
        key: start + 2 * minute,
        doc_count: 1,
        1: { value: 2.5 },
        3: { values: { '50.0': 2.5 } },
      },
    ]);
  });

  it('answers its raw data query with sources, sort values and fields in milliseconds', async () => {
    const { body } = await msearch({
      size: 500,
      query: { bool: { filter: [between, { query_string: { analyze_wildcard: true, query: 'data.label:red' } }] } },
      sort: { ts: { order: 'desc', unmapped_type: 'boolean' }, _doc: { order: 'desc' } },
      docvalue_fields: ['ts'],
      fields: [{ field: 'ts', format: 'strict_date_optional_time_nanos' }],
      script_fields: {},
      highlight: { fields: { '*': {} }, pre_tags: ['@'], post_tags: ['@'], fragment_size: 2147483647 },
    });
    const { hits } = body.responses[0]!.hits;
    expect(hits.map((hit) => [hit._source.ts, hit.sort[0], hit.fields.ts])).toEqual([
      [start + 2 * minute, start + 2 * minute, [new Date(start + 2 * minute).toISOString()]],
      [start, start, [new Date(start).toISOString()]],
    ]);
    const next = await msearch({
      query: between,
      sort: [{ ts: 'desc' }, { _doc: 'desc' }],
      search_after: hits[0]!.sort,
    });
    expect(next.body.responses[0]!.hits.hits.map((hit) => hit._source.ts)).toEqual([start + minute, start]);
  });
});
