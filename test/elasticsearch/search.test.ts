import { beforeAll, describe, expect, it } from '@jest/globals';
import { minuteMs } from '#common/time.js';
import { lines, send, start, store, useField } from './field.js';

const field = useField();
const post = (path: string, body: object = {}) => send(field, 'POST', path, { body });
const floats = (answer: any): number[] => answer.body.hits.hits.map((hit: any) => hit._source.data.float);

const clocked = useField({ clock: () => start + 61 * minuteMs });

it("returns the creation_time of a point in time by the service's clock", async () => {
  const { body } = await send(clocked, 'POST', '/records/_search/point_in_time?keep_alive=1m');
  expect(body.creation_time).toBe(start + 61 * minuteMs);
});

describe('content types of the Elasticsearch-compatible endpoint', () => {
  it.each([
    'application/vnd.elasticsearch+json; compatible-with=8',
    'application/vnd.elasticsearch+json;compatible-with=9',
  ])('returns the content type that the client requested: %s', async (type) => {
    const headers = { 'content-type': type, accept: type };
    const answer = await send(field, 'POST', '/_search', { body: { size: 0 }, headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(type.replace(' ', ''));
    expect(answer.headers.get('x-elastic-product')).toBe('Elasticsearch');
  });

  it.each(['application/vnd.elasticsearch+x-ndjson; compatible-with=8', 'application/x-ndjson', 'application/json'])(
    'accepts NDJSON lines as %s',
    async (type) => {
      const body = lines({}, { size: 0 }, {}, { size: 1 });
      const answer = await send(field, 'POST', '/records/_msearch', { body, headers: { 'content-type': type } });
      expect(answer.body.responses.map((each: any) => each.hits.hits.length)).toEqual([0, 1]);
      expect(answer.headers.get('content-type')).toContain('application/json');
    },
  );

  it('returns plain text tables for _cat, unless JSON is requested', async () => {
    const table = await send(field, 'GET', '/_cat/indices?v&h=index,docs.count');
    expect([table.headers.get('content-type'), table.text]).toEqual([
      'text/plain; charset=utf-8',
      'index   docs.count\nrecords 3\n',
    ]);
    const headers = { accept: 'application/json' };
    expect((await send(field, 'GET', '/_cat/count', { headers })).body).toEqual([{ count: '3' }]);
  });

  it("returns the client's X-Opaque-Id, on errors too", async () => {
    const headers = { 'x-opaque-id': 'nightly report' };
    for (const path of ['/_search', '/_sql'])
      expect((await send(field, 'GET', path, { headers })).headers.get('x-opaque-id')).toBe('nightly report');
    expect((await send(field, 'GET', '/_search')).headers.has('x-opaque-id')).toBe(false);
  });
});

describe('search parameters in the query string', () => {
  it('extends the query, and wins over the body', async () => {
    const query = 'q=data.label:red&sort=data.float:desc&size=1&_source_includes=data.float';
    const answer = await post(`/records/_search?${query}`, { size: 5, query: { match_all: {} } });
    expect(answer.body.hits.total.value).toBe(2);
    expect(answer.body.hits.hits.map((hit: any) => hit._source)).toEqual([{ data: { float: 2.5 } }]);
    const source = encodeURIComponent(JSON.stringify({ query: { term: { 'data.label': 'blue' } } }));
    expect(floats(await send(field, 'GET', `/_search?source=${source}&source_content_type=application/json`))).toEqual([
      4,
    ]);
    expect((await send(field, 'GET', '/_count?q=data.float:>2')).body.count).toBe(2);
  });

  it('accepts parameters of any name', async () => {
    const without = await post('/_search', { size: 0 });
    for (const name of [
      'ignore_unavailable=true',
      'ignore_throttled=false',
      'allow_no_indices=true',
      'max_concurrent_shard_requests=5',
      'wait_for_status=yellow',
      'request_cache=true',
      'routing=a',
      'preference=_local',
      'human',
      'error_trace=true',
      'expand_wildcards=open',
      'ccs_minimize_roundtrips=true',
      'invented=1',
    ]) {
      const answer = await post(`/_search?${name}`, { size: 0 });
      expect([name, answer.status]).toEqual([name, 200]);
      expect(answer.body.hits).toEqual(without.body.hits);
      expect((await send(field, 'GET', `/_cluster/health?${name}`)).status).toBe(200);
    }
  });

  it('breaks the answer into lines with pretty', async () => {
    const { text } = await send(field, 'GET', '/_license?pretty');
    expect(text).toMatch(/^\{\n {2}"license": \{\n/);
    expect(text.endsWith('}\n')).toBe(true);
  });

  it('returns the total as a number with rest_total_hits_as_int', async () => {
    const answer = await post('/_search?rest_total_hits_as_int=true', { size: 0 });
    expect(answer.body.hits.total).toBe(3);
    const many = await send(field, 'POST', '/_msearch?rest_total_hits_as_int=true', { body: lines({}, { size: 0 }) });
    expect(many.body.responses[0].hits.total).toBe(3);
  });

  it('keeps only the named parts with filter_path', async () => {
    const at = (paths: string) => post(`/_search?filter_path=${paths}`, { sort: [{ ts: 'asc' }], size: 1 });
    expect((await at('hits.total.value,hits.hits._source.data')).body).toEqual({
      hits: { total: { value: 3 }, hits: [{ _source: { data: { float: 1.5, count: 1, label: 'red' } } }] },
    });
    expect((await at('**.label')).body).toEqual({ hits: { hits: [{ _source: { data: { label: 'red' } } }] } });
    expect((await at('h*s.to*')).body).toEqual({ hits: { total: { value: 3, relation: 'eq' } } });
    expect(Object.keys((await at('-hits,-_shards')).body)).toEqual(['took', 'timed_out']);
    expect((await at('nothing')).body).toEqual({});
  });

  it('adds the types to aggregation names with typed_keys, inside buckets too', async () => {
    const aggs = {
      label: { terms: { field: 'data.label' }, aggs: { high: { max: { field: 'data.float' } } } },
      count: { terms: { field: 'data.count' } },
      float: { terms: { field: 'data.float' } },
      none: { terms: { field: 'data.unheard' } },
      time: {
        date_histogram: { field: 'ts', fixed_interval: '1m', min_doc_count: 0 },
        aggs: { mean: { avg: { field: 'data.float' } }, sum: { cumulative_sum: { buckets_path: 'mean' } } },
      },
      some: {
        filters: { filters: { red: { term: { 'data.label': 'red' } } } },
        aggs: { n: { value_count: { field: 'ts' } } },
      },
      only: { filter: { term: { 'data.label': 'red' } }, aggs: { p: { percentiles: { field: 'data.float' } } } },
    };
    const { body } = await post('/_search?typed_keys', { size: 0, aggs });
    const found = body.aggregations;
    expect(Object.keys(found).sort()).toEqual([
      'date_histogram#time',
      'dterms#float',
      'filter#only',
      'filters#some',
      'lterms#count',
      'sterms#label',
      'sterms#none',
    ]);
    expect(found['sterms#label'].buckets[0]['max#high'].value).toBe(2.5);
    expect(found['date_histogram#time'].buckets[1]).toMatchObject({ 'avg#mean': {}, 'simple_value#sum': {} });
    expect(found['filters#some'].buckets.red['value_count#n'].value).toBe(2);
    expect(found['filter#only']['tdigest_percentiles#p'].values).toBeDefined();
  });
});

describe('GET /:index/_doc/:id', () => {
  it('returns the record with this identifier', async () => {
    const { body } = await post('/_search', { size: 1, sort: [{ ts: 'asc' }] });
    const id = body.hits.hits[0]._id;
    const found = await send(field, 'GET', `/records/_doc/${id}?_source_includes=data.label`);
    expect(found.body).toEqual({
      _index: 'records',
      _id: id,
      _version: 1,
      found: true,
      _source: { data: { label: 'red' } },
    });
    expect((await send(field, 'GET', `/records/_source/${id}`)).body.ts).toBe(start);
    expect((await send(field, 'HEAD', `/records/_doc/${id}`)).status).toBe(200);
    const missing = await send(field, 'GET', '/records/_doc/nothing');
    expect([missing.status, missing.body]).toEqual([404, { _index: 'records', _id: 'nothing', found: false }]);
  });
});

describe('page of a scroll', () => {
  let pages: any[];

  beforeAll(async () => {
    const aggs = { high: { max: { field: 'data.float' } } };
    const first = await post('/records/_search?scroll=1m', { size: 2, sort: [{ 'data.label': 'desc' }], aggs });
    const next = await post('/_search/scroll', { scroll: '1m', scroll_id: first.body._scroll_id });
    const last = await post('/_search/scroll', { scroll: '1m', scroll_id: next.body._scroll_id });
    pages = [first, next, last];
  });

  it('contains each record once, across ties, and none after the last', () => {
    expect(pages.map(floats)).toEqual([[1.5, 2.5], [4], []]);
  });

  it('contains the total of all pages', () => {
    expect(pages.map(({ body }) => body.hits.total.value)).toEqual([3, 3, 3]);
  });

  it('contains the value of the requested sort key and of no other', () => {
    expect(pages[0].body.hits.hits[0].sort).toEqual(['red']);
  });

  it('contains aggregations only if it is the first', () => {
    expect(pages.map(({ body }) => body.aggregations?.high.value)).toEqual([4, undefined, undefined]);
  });

  it('starts with the newest record by default', async () => {
    const first = await post('/_search?scroll=1m&size=2');
    expect(first.body.hits.hits.map((hit: any) => [hit._source.ts, hit.sort])).toEqual([
      [start + 2 * minuteMs, undefined],
      [start + minuteMs, undefined],
    ]);
    expect(floats(await post('/_search/scroll', { scroll_id: first.body._scroll_id }))).toEqual([1.5]);
  });

  it.each([{ from: 1 }, { size: 0 }])('returns 400 for %j', async (keys) => {
    const answer = await post('/_search?scroll=1m', keys);
    expect([answer.status, answer.body.error.type]).toEqual([400, 'action_request_validation_exception']);
  });
});

describe('page of a point in time sorted by `_shard_doc`', () => {
  it.each(['_shard_doc', { _shard_doc: {} }, { _shard_doc: { order: 'desc' } }])(
    'contains each record once: %j',
    async (key) => {
      const opened = await post('/records/_pit?keep_alive=1m');
      const pit = { id: opened.body.id, keep_alive: '1m' };
      const found: any[] = [];
      for (let after = {}; ; after = { search_after: found.at(-1).sort }) {
        const page = await post('/_search', { size: 2, pit, sort: [key], ...after });
        expect(page.status).toBe(200);
        if (page.body.hits.hits.length === 0) break;
        found.push(...page.body.hits.hits);
      }
      const inOrder = [1.5, 2.5, 4];
      const expected = JSON.stringify(key).includes('desc') ? inOrder.toReversed() : inOrder;
      expect(found.map(({ _source }) => _source.data.float)).toEqual(expected);
    },
  );
});

describe('sort by `_geo_distance`', () => {
  it('returns 400', async () => {
    const answer = await post('/_search', { sort: [{ _geo_distance: { 'device.location': '48.85,2.35' } }] });
    expect([answer.status, answer.body.error.root_cause[0].type]).toEqual([400, 'x_content_parse_exception']);
  });
});

// These tests come last, since they store a record that the others do not expect.
describe('`fields` and `docvalue_fields`', () => {
  it('omits values that do not fit the type of their variable', async () => {
    const ts = start / 1000 - 7200;
    await store(field, [{ ts, data: { float: 'x', count: [1, 'bad', 3], label: 'c' } }]);
    const names = ['data.float', 'data.count', 'data.label'];
    const query = { range: { ts: { lte: ts * 1000 } } };
    const shown = async (keys: object) => {
      const { body } = await post('/_search', { query, ...keys });
      return body.hits.hits.map(({ _source, fields }: any) => [_source.data.float, fields]);
    };
    expect(await shown({ fields: names })).toEqual([['x', { 'data.label': ['c'] }]]);
    expect(await shown({ docvalue_fields: names })).toEqual([['x', { 'data.count': [1, 3], 'data.label': ['c'] }]]);
  });

  it('converts values to the types of their fields', async () => {
    const ts = start / 1000 - 3600;
    const data = {
      float: '2.50',
      count: ['7', 3],
      label: [5, 'a', 5],
      on: [true, 'false'],
      list: [{ x: 2 }, { x: 1 }],
    };
    await store(field, [{ ts, data }]);
    const query = { term: { ts: ts * 1000 } };
    const names = ['data.*', 'product.id'];
    const shown = async (keys: object) => (await post('/_search', { query, ...keys })).body.hits.hits[0].fields;
    const same = { 'data.float': [2.5], 'product.id': [expect.any(String)] };
    expect(await shown({ fields: names })).toEqual({
      ...same,
      'data.count': [7, 3],
      'data.label': ['5', 'a', '5'],
      'data.on': [true, false],
      'data.list.x': [2, 1],
    });
    expect(await shown({ docvalue_fields: names })).toEqual({
      ...same,
      'data.count': [3, 7],
      'data.label': ['5', 'a'],
      'data.on': [false, true],
      'data.list.x': [1, 2],
    });
  });
});
