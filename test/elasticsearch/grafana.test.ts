import { describe, expect, it } from '@jest/globals';
import { minuteMs } from '#common/time.js';
import { lines, send, start, store, useField } from './field.js';

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

const field = useField();
const url = '/_msearch?max_concurrent_shard_requests=5';
const ndjson = { 'content-type': 'application/x-ndjson' };

const sendLines = (body: string) => send(field, 'POST', url, { headers: ndjson, body });
const msearch = (...bodies: object[]): Promise<{ status: number; body: { responses: Response[] } }> => {
  const header = { ignore_unavailable: true, index: 'records', search_type: 'query_then_fetch' };
  return sendLines(lines(...bodies.flatMap((body) => [header, body])));
};

describe("Grafana's Elasticsearch data source", () => {
  const between = { range: { ts: { format: 'epoch_millis', gte: start - minuteMs, lte: start + 5 * minuteMs } } };

  it('passes "Save & test": a healthy cluster and a date field in the named index', async () => {
    const health = await send(field, 'GET', '/_cluster/health?wait_for_status=yellow');
    expect([health.status, health.body.status]).toEqual([200, 'green']);
    const { body: root } = await send(field, 'GET', '/');
    expect(root.version.number).toMatch(/^8\./);
    expect((await send(field, 'GET', '')).body).toEqual(root);
    for (const index of ['', '/records', '/records-2026.11.21,records-2026.11.22']) {
      const caps = await send(field, 'GET', `${index}/_field_caps?fields=ts`);
      expect(caps.status).toBe(200);
      expect(caps.body.fields).toEqual({ ts: { date: expect.objectContaining({ type: 'date', searchable: true }) } });
    }
  });

  it('lists the fields of the named index for its editor', async () => {
    const { body } = await send(field, 'GET', '/records/_mapping');
    expect(body.records.mappings.properties).toMatchObject({
      ts: { type: 'date' },
      data: { properties: { float: { type: 'double' }, label: { type: 'keyword' } } },
    });
    const { body: caps } = await send(field, 'GET', '/records/_field_caps?fields=*');
    expect(caps.fields['data.float']).toMatchObject({ double: { aggregatable: true } });
  });

  it('returns annotations for a range with from and to', async () => {
    const range = { ts: { from: start - minuteMs, to: start + 5 * minuteMs, format: 'epoch_millis' } };
    const filter = [
      { bool: { should: [{ range }], minimum_should_match: 1 } },
      { query_string: { query: 'data.label:red' } },
    ];
    const { body } = await msearch({ query: { bool: { filter } }, size: 10_000 });
    expect(body.responses[0]!.hits.hits.map((hit) => hit._source.ts)).toEqual([start + 2 * minuteMs, start]);
  });

  it.each([
    ['data.label:"red"', 2],
    ['-data.label:"red"', 1],
    ['data.label:"red" AND data.float:>2', 1],
    ['data.label:/bl.*/', 1],
    ['data.label:"red" AND -data.label:/r.d/', 0],
    ['data.count:<3', 2],
  ])('applies the ad hoc filter %s', async (query, total) => {
    const filter = [between, { query_string: { analyze_wildcard: true, query } }];
    const { body } = await msearch({ size: 0, query: { bool: { filter } } });
    expect((body.responses[0]!.hits as any).total.value).toBe(total);
  });

  it('lists the possible values of an ad hoc filter', async () => {
    const terms = { field: 'data.label', size: 500, order: { _key: 'asc' } };
    const { body } = await msearch({ size: 0, query: { bool: { filter: [between] } }, aggs: { 1: { terms } } });
    const { buckets } = (body.responses[0] as any).aggregations[1];
    expect(buckets.map((bucket: any) => [bucket.key, bucket.doc_count])).toEqual([
      ['blue', 1],
      ['red', 2],
    ]);
  });

  it('returns logs with their volume', async () => {
    const histogram = {
      field: 'ts',
      fixed_interval: '1m',
      min_doc_count: 0,
      extended_bounds: { min: start, max: start + 2 * minuteMs },
      format: 'epoch_millis',
    };
    const { body } = await msearch(
      {
        size: 500,
        query: { bool: { filter: [between, { query_string: { analyze_wildcard: true, query: '*' } }] } },
        sort: [{ ts: { order: 'desc', unmapped_type: 'boolean' } }, { _doc: { order: 'desc' } }],
        fields: [{ field: 'ts', format: 'strict_date_optional_time_nanos' }],
        script_fields: {},
        highlight: { fields: { '*': {} }, fragment_size: 2147483647, post_tags: ['@'], pre_tags: ['@'] },
      },
      { size: 0, query: { bool: { filter: [between] } }, aggs: { 1: { date_histogram: histogram } } },
    );
    expect(body.responses[0]!.hits.hits).toHaveLength(3);
    expect((body.responses[1] as any).aggregations[1].buckets.map((bucket: any) => bucket.doc_count)).toEqual([
      1, 1, 1,
    ]);
  });

  it('continues after a record whose time lies between two milliseconds', async () => {
    const at = start / 1000 - 3600;
    await store(
      field,
      [0.0002, 0.0005, 0.0008].map((part) => ({ ts: at + part, data: { float: 0 } })),
    );
    const query = { range: { ts: { format: 'epoch_millis', gte: start - 3_600_000, lte: start - 3_600_000 } } };
    const asked = { size: 1, query, sort: [{ ts: 'desc' }, { _doc: 'desc' }] };
    const seen = new Set<string>();
    let after: object = {};
    for (let page = 0; page < 3; page++) {
      const { hits } = (await msearch({ ...asked, ...after })).body.responses[0]!.hits as any;
      seen.add(hits[0]?._id);
      after = { search_after: hits[0]?.sort };
    }
    expect([...seen].filter(Boolean)).toHaveLength(3);
  });

  it('returns 400 for lines that are not JSON objects, and answers the other queries', async () => {
    const { status, body } = await sendLines(
      '{}\n{"size":x}\n{}\n5\n\n{}\n[{"size":0}]\n{}\n{"size":\n{}\n{"size":1}\n',
    );
    expect(status).toBe(200);
    const answers = body.responses as unknown as { status: number; error?: { type: string; reason: string } }[];
    expect(answers.map((answer) => [answer.status, answer.error?.type])).toEqual([
      [400, 'json_parse_exception'],
      [400, 'parsing_exception'],
      [400, 'parsing_exception'],
      [400, 'json_e_o_f_exception'],
      [200, undefined],
    ]);
    expect(answers[1]?.error?.reason).toBe('Expected [START_OBJECT] but found [VALUE_NUMBER]');
  });

  it('returns 400 for a call whose header line is not JSON', async () => {
    expect(await sendLines('{x\n{"size":1}\n')).toMatchObject({
      status: 400,
      body: { error: { type: 'illegal_argument_exception', reason: expect.stringMatching(/^0: /) } },
    });
  });

  it('returns metric buckets in milliseconds', async () => {
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
                extended_bounds: { min: start, max: start + 2 * minuteMs },
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
        key_as_string: `${start + minuteMs}`,
        key: start + minuteMs,
        doc_count: 0,
        1: { value: null },
        3: { values: { '50.0': null } },
      },
      {
        key_as_string: `${start + 2 * minuteMs}`,
        key: start + 2 * minuteMs,
        doc_count: 1,
        1: { value: 2.5 },
        3: { values: { '50.0': 2.5 } },
      },
    ]);
  });

  it('returns raw data with sources, sort values and fields in milliseconds', async () => {
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
      [start + 2 * minuteMs, start + 2 * minuteMs, [new Date(start + 2 * minuteMs).toISOString()]],
      [start, start, [new Date(start).toISOString()]],
    ]);
    const next = await msearch({
      query: between,
      sort: [{ ts: 'desc' }, { _doc: 'desc' }],
      search_after: hits[0]!.sort,
    });
    expect(next.body.responses[0]!.hits.hits.map((hit) => hit._source.ts)).toEqual([start + minuteMs, start]);
  });
});

describe("Grafana's OpenSearch data source", () => {
  /** Returns the version that the plugin saves, or the error that it shows (src/opensearchDatasource.ts). */
  const savedVersion = ({ distribution, number }: { distribution?: string; number: string }) => {
    const [major = 0, minor = 0] = number.split('.').map(Number);
    if (distribution === 'opensearch') return { flavor: 'opensearch', version: number };
    if (major > 7 || (major === 7 && minor >= 11)) return { error: `${number} is not supported. Use ElasticSearch.` };
    return { flavor: 'elasticsearch', version: number };
  };

  it('gets a version that its settings accept', async () => {
    const { body } = await send(field, 'GET', '/');
    expect(savedVersion(body.version)).toEqual({ flavor: 'opensearch', version: '8.19.0' });
  });

  it('passes "Save & test": the named index has the time field, as a date', async () => {
    const { status, body } = await send(field, 'GET', '/records/_mapping/field/ts');
    expect(status).toBe(200);
    expect(body['records'].mappings['ts'].mapping['ts'].type).toBe('date');
  });

  it('lists the indices for its settings, and the fields for its editor', async () => {
    const indices = await send(field, 'GET', '/_cat/indices?format=json&h=index,status,health,docs.count');
    expect(indices.body).toMatchObject([{ index: 'records', health: 'green', 'docs.count': expect.anything() }]);
    const caps = await send(field, 'GET', '/records/_field_caps?fields=*');
    expect(caps.body.fields['data.label']).toMatchObject({ keyword: { searchable: true } });
  });

  it('returns logs with times as its parser reads them', async () => {
    const range = { ts: { format: 'epoch_millis', gte: start - minuteMs, lte: start + 5 * minuteMs } };
    const { status, body } = await msearch({
      docvalue_fields: ['ts'],
      fields: [{ field: 'ts', format: 'strict_date_optional_time_nanos' }],
      query: { bool: { filter: [{ range }, { query_string: { analyze_wildcard: true, query: '*' } }] } },
      size: 500,
      sort: [{ ts: { order: 'desc', unmapped_type: 'boolean' } }, { _doc: { order: 'desc' } }],
    });
    expect(status).toBe(200);
    const [newest] = body.responses[0]!.hits.hits;
    expect(newest!.fields.ts).toContain(new Date(start + 2 * minuteMs).toISOString());
  });

  it('refuses a list of more names of fields than are read', async () => {
    const { status, body } = await send(field, 'GET', `/records/_mapping/field/${'ts,'.repeat(100)}ts`);
    expect([status, body.error.type]).toEqual([400, 'illegal_argument_exception']);
  });
});
