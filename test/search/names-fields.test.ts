import { describe, expect, it } from '@jest/globals';
import { locate, type PlainJson } from '#json/json.js';
import { namesFields } from '#search/names-fields.js';
import { parseRequest } from '#search/request.js';
import { Input } from '#search/syntax/input.js';
import { useWorld, worldNow } from './world.js';

const names = (query: PlainJson) => namesFields(parseRequest(new Input(locate(query), 'query')));
const ofDevice = (serial: string) => ({ term: { 'device.serial': serial } });

describe('detection of queries that name no product or record field', () => {
  it.each<PlainJson>([
    {},
    { size: 10, sort: [{ ts: 'desc' }, '_doc', '_score'] },
    { query: { match_all: {} }, post_filter: { ids: { values: ['x'] } } },
    {
      query: {
        bool: { filter: [{ term: { 'device.id': 'x' } }, { range: { ts: { gte: 0 } } }], must_not: ofDevice('1') },
      },
    },
    { query: { bool: { should: [{ terms: { 'product.id': ['x'] } }, { match_none: {} }] } } },
  ])('returns false for %j', (query) => expect(names(query)).toBe(false));
});

describe('detection of queries that may name a product or record field', () => {
  it.each<PlainJson>([
    { sort: 'data.n' },
    { query: { term: { 'data.n': 1 } } },
    { query: { range: { 'data.n': { gte: 1 } } } },
    { query: { bool: { must: [{ match_all: {} }, { bool: { must_not: { terms: { 'metadata.n': [1] } } } }] } } },
    { query: { exists: { field: 'device' } } },
    { query: { query_string: { query: '1' } } },
    { post_filter: { match: { 'data.n': 1 } } },
    { fields: ['ts'] },
    { size: 0, aggs: { d: { date_histogram: { field: 'ts', fixed_interval: '1d' } } } },
  ])('returns true for %j', (query) => expect(names(query)).toBe(true));
});

describe('batch of search queries', () => {
  const world = useWorld({
    devices: [{ serial: '1' }, { serial: '2' }],
    records: [1, 2, 3].map((n) => ({ serial: `${(n % 2) + 1}`, ts: worldNow / 1000 - n, data: { n } })),
  });
  const idOf = async (serial: string) =>
    (await world.pool.query<{ id: string }>('select id from device where serial = $1', [serial])).rows[0]!.id;
  const found = (answer: unknown) =>
    (answer as { hits: { hits: { _source: { data: { n: number } } }[] } }).hits.hits.map(
      ({ _source }) => _source.data.n,
    );

  it('returns the same answer for each query as when it is sent alone, whether or not it names fields', async () => {
    const id = await idOf('1');
    const queries: { query: PlainJson }[] = [
      { query: ofDevice('2') },
      { query: { term: { 'device.id': id } } },
      { query: { term: { 'data.n': 3 } } },
      { query: { bool: { filter: [{ terms: { 'device.id': [id, 'none'] } }, { range: { 'data.n': { gte: 2 } } }] } } },
      { query: { term: { 'device.id': 'none' } } },
    ];
    const alone = await Promise.all(queries.map((query) => world.ask(query)));
    expect(alone.map(found)).toEqual([[1, 3], [2], [3], [2], []]);
    const { responses } = await world.askAll(queries.map((query) => ({ products: [], ...query })));
    expect(responses.map(found)).toEqual(alone.map(found));
  });
});
