import { describe, expect, it } from '@jest/globals';
import { minuteMs } from '#common/time.js';
import { lines, send, start, useField } from './field.js';

const field = useField();
const order = { sort: [{ 'data.float': 'asc' }] };
const label = (value: string, _name: string) => ({ term: { 'data.label': { value, _name } } });
const among = (...should: object[]) => ({ query: { bool: { should: [{ match_all: {} }, ...should] } }, ...order });
const search = async (body: object, path = '/records/_search') => (await send(field, 'POST', path, { body })).body;
const names = (found: any): (string[] | undefined)[] => found.hits.hits.map((hit: any) => hit.matched_queries);

const red = [['red'], ['red'], undefined];

describe('matched_queries', () => {
  it('follows the sort values of a hit', async () => {
    const found = await search(among(label('red', 'red')));
    expect(found.hits.hits.map((hit: any) => Object.keys(hit))).toEqual([
      ['_index', '_id', '_score', '_source', 'sort', 'matched_queries'],
      ['_index', '_id', '_score', '_source', 'sort', 'matched_queries'],
      ['_index', '_id', '_score', '_source', 'sort'],
    ]);
    expect(names(found)).toEqual(red);
  });

  it('lists names in the order in which the engine reads the clauses', async () => {
    const filter = { bool: { filter: [label('red', 'last')], must: [label('red', 'first')] } };
    expect(names(await search({ query: filter, ...order }))).toEqual([
      ['first', 'last'],
      ['first', 'last'],
    ]);
  });

  it('names clauses on the device and on the time of a record', async () => {
    const device: string = (await search({ size: 1 })).hits.hits[0]._source.device.id;
    const clauses = [
      { term: { 'device.id': { value: device, _name: 'id' } } },
      { term: { 'device.serial': { value: 'ab-01', _name: 'serial' } } },
      { term: { 'device.serial': { value: 'ab-02', _name: 'other' } } },
      { range: { ts: { gte: start + minuteMs, _name: 'later' } } },
    ];
    const found = names(await search(among(...clauses)));
    expect(found).toEqual([
      ['id', 'serial'],
      ['id', 'serial', 'later'],
      ['id', 'serial', 'later'],
    ]);
  });

  it('appears with a sort by a field of the device', async () => {
    const sort = [{ 'device.serial': 'asc' }, { 'data.float': 'asc' }];
    expect(names(await search({ ...among(label('red', 'red')), sort }))).toEqual(red);
  });

  it('appears in pages of a scroll and of search_after, in _msearch and in REST searches', async () => {
    const body = { ...among(label('red', 'red')), size: 1 };
    const first = await search(body, '/records/_search?scroll=1m');
    const second = await search({ scroll_id: first._scroll_id, scroll: '1m' }, '/_search/scroll');
    const third = await search({ scroll_id: first._scroll_id, scroll: '1m' }, '/_search/scroll');
    expect([first, second, third].flatMap(names)).toEqual(red);
    expect(names(await search({ ...body, search_after: first.hits.hits[0].sort }))).toEqual([['red']]);
    const many = await send(field, 'POST', '/records/_msearch', { body: lines({}, body, {}, body) });
    expect(many.body.responses.map(names)).toEqual([[['red']], [['red']]]);
    const { organizationId, applicationId, tenant } = field;
    const rest = await tenant.owner.post<{ responses: object[] }>(
      `/applications/${organizationId}/${applicationId}/search`,
      { ts: { gte: start / 1000, lte: start / 1000 + 3600 }, queries: [{ products: [], ...body }] },
    );
    expect(rest.body.responses.map(names)).toEqual([[['red']]]);
  });

  it('appears in top_hits of buckets', async () => {
    const hits = { top_hits: { size: 1, _source: false, ...order } };
    const aggs = { by: { terms: { field: 'data.label' }, aggs: { hits } } };
    const found = await search({ ...among(label('red', 'red')), size: 0, aggs });
    expect(found.aggregations.by.buckets.map(({ hits: inner }: any) => names(inner))).toEqual([[['red']], [undefined]]);
  });

  it('accepts any text as a name', async () => {
    const some = ["'; drop table record; --", '$1', '"', '\\', '__proto__', 'é\u{1F300}', 'constructor'];
    const [first] = names(await search(among(...some.map((name) => label('red', name)))));
    expect(first).toEqual(some);
  });

  it('names 1,000 clauses of one query', async () => {
    const all = Array.from({ length: 1000 }, (_, index) => label(index % 2 === 0 ? 'red' : 'blue', `n${index}`));
    const [, , blue] = names(await search(among(...all)));
    expect(blue).toEqual(all.flatMap((_, index) => (index % 2 === 0 ? [] : [`n${index}`])));
  });

  it('accepts names of 1,024 characters, and refuses longer ones', async () => {
    expect(names(await search(among(label('red', 'x'.repeat(1024)))))).toEqual([
      ['x'.repeat(1024)],
      ['x'.repeat(1024)],
      undefined,
    ]);
    const { error } = await search(among(label('red', 'x'.repeat(1025))));
    expect(error.root_cause[0].reason).toBe('The length of a value [1025] has exceeded the allowed maximum of [1024].');
  });

  it('names clauses nested to the maximum depth', async () => {
    let query: object = { query_string: { query: 'red', fields: ['data.*'], lenient: true, _name: 'n0' } };
    for (let depth = 1; depth < 20; depth++) query = { bool: { must: [query], _name: `n${depth}` } };
    const [first] = names(await search({ query, ...order }));
    expect(first).toEqual(Array.from({ length: 20 }, (_, index) => `n${index}`));
  });
});
