import { describe, expect, it } from '@jest/globals';
import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { useWorld } from './world.js';

const at = (text: string) => Date.parse(text) / 1000;
const world = useWorld({
  products: {
    probe: [
      { name: 't', type: VariableType.FLOAT32 },
      { name: 'n', type: VariableType.INT64 },
      { name: 'txt', type: VariableType.TXT },
    ],
    other: [
      { name: 't', type: VariableType.INT16 },
      { name: 'txt2', type: VariableType.TXT },
    ],
    third: [{ name: 'txt2', type: VariableType.BOOL }],
  },
  devices: [
    { serial: '01', product: 'probe', tags: ['a', 'b'] },
    { serial: '02' },
    { serial: '03', linked: false },
    { serial: '04', product: 'other' },
    { serial: '05', product: 'third' },
  ],
  records: [
    { serial: '01', ts: at('2026-10-25T00:30:00Z'), data: { t: 20.1, n: '9007199254740993', txt: 'a' } },
    { serial: '01', ts: at('2026-10-25T01:30:00Z'), data: { t: [1, 3], n: 1, txt: ['a', 'é'] } },
    { serial: '01', ts: at('2026-10-25T02:30:00Z'), data: { t: 'n/a', n: 300.5 } },
    {
      serial: '02',
      ts: at('2026-10-26T12:00:00Z'),
      metadata: { rssi: -90 },
      data: {
        free: 5,
        loose: 'x',
        wide: ['ﬀ', '😀'],
        list: [{ x: 1, o: { y: 'a' } }, { x: [2, '3'] }, null, { x: 3, o: [{ y: 'b' }, { y: true }] }],
      },
    },
    { serial: '02', ts: at('2026-10-26T13:00:00Z'), metadata: { rssi: 'strong' }, data: { free: [5, 6], loose: null } },
    { serial: '03', ts: at('2026-10-26T14:00:00Z'), data: { free: 7 } },
  ],
});

interface Found {
  hits: { total: { value: number }; hits: { _id: string; _ignored?: string[]; sort?: unknown[] }[] };
  aggregations: Record<
    string,
    { value: number; buckets: { key: unknown; key_as_string: string; doc_count: number }[] }
  >;
}
const ask = async (body: object) => (await world.ask(body as PlainJson)) as unknown as Found;
const count = async (query: object) => (await ask({ query })).hits.total.value;
const buckets = async (aggregation: object) =>
  (await ask({ size: 0, aggs: { a: aggregation } })).aggregations['a']!.buckets;

describe('special cases of the query DSL', () => {
  it('sorts texts by UTF-8 in composite keys, and by UTF-16 in bucket_sort on text keys', async () => {
    const aggs = { p: { bucket_sort: { sort: ['_key'] } } };
    const terms = { terms: { field: 'data.wide' } };
    const a = { composite: { sources: [{ s: terms }] }, aggs };
    const { aggregations } = await ask({ size: 0, aggs: { a, b: { ...terms, aggs } } });
    expect(aggregations['a']!.buckets.map(({ key }) => key)).toEqual([{ s: 'ﬀ' }, { s: '😀' }]);
    expect(aggregations['b']!.buckets.map(({ key }) => key)).toEqual(['😀', 'ﬀ']);
  });

  it('counts records without the field as matches of must_not', async () => {
    expect(await count({ bool: { must_not: { term: { 'data.txt': 'a' } } } })).toBe(3);
  });

  it("covers all time in a date_histogram under global, and only the query's range beside it", async () => {
    const h = {
      date_histogram: { field: 'ts', fixed_interval: '1h', time_zone: 'Europe/Berlin', min_doc_count: 1 },
    };
    const query = { range: { ts: { gte: '2026-10-26T00:00:00Z', lt: '2026-10-26T13:00:00Z' } } };
    const body = { size: 0, query, aggs: { h, g: { global: {}, aggs: { h } } } };
    type Hours = { buckets: { key_as_string: string; doc_count: number }[] };
    const { aggregations } = (await ask(body)) as unknown as { aggregations: { h: Hours; g: { h: Hours } } };
    const shown = ({ buckets: found }: Hours) => found.map((one) => `${one.key_as_string} ${one.doc_count}`);
    expect(shown(aggregations.h)).toEqual(['2026-10-26T13:00:00.000+01:00 1']);
    expect(shown(aggregations.g.h)).toEqual([
      '2026-10-25T02:00:00.000+02:00 1',
      '2026-10-25T02:00:00.000+01:00 1',
      '2026-10-25T03:00:00.000+01:00 1',
      '2026-10-26T13:00:00.000+01:00 1',
      '2026-10-26T14:00:00.000+01:00 1',
    ]);
  });

  it('reads weeks of ISO 8601 at both ends of a range, and refuses parts of a date that disagree', async () => {
    const day = "YYYY-'W'ww-e";
    expect(await count({ range: { ts: { gte: '2026-W44-1', format: day } } })).toBe(2);
    expect(await count({ range: { ts: { lte: '2026-W43-7', format: day } } })).toBe(3);
    expect(await count({ range: { ts: { lte: '2026-W44', format: "YYYY-'W'ww" } } })).toBe(5);
    expect(await count({ range: { ts: { lt: '2026', format: 'YYYY' } } })).toBe(0);
    for (const [gte, format] of [
      ['2026-W54-1', day],
      ['Tue 26/10/2026', 'EEE dd/MM/yyyy'],
      ['2026-Q2', "yyyy-'Q'Q"],
      ['2026-10-26', 'YYYY-MM-dd'],
    ])
      expect(await ask({ query: { range: { ts: { gte, format } } } })).toMatchObject({ status: 400 });
  });

  it('returns no bucket twice when the interval of a histogram is below the precision of doubles', async () => {
    const found = await buckets({ histogram: { field: 'data.t', interval: 1e-300 } });
    const keys = found.map(({ key }) => key);
    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys).size).toBe(keys.length);
    expect(found.every(({ doc_count: count }) => count > 0)).toBe(true);
  });

  it('compares one value with both bounds of a range, and averages all values of an array', async () => {
    expect(await count({ range: { 'data.t': { gt: 1.5, lt: 2.5 } } })).toBe(0);
    expect((await ask({ size: 0, aggs: { a: { avg: { field: 'data.t' } } } })).aggregations['a']!.value).toBeCloseTo(
      24.1 / 3,
      12,
    );
  });

  it('treats should as optional beside a filter, and as required without one', async () => {
    const should = [{ term: { 'data.txt': 'nothing' } }];
    expect(await count({ bool: { should } })).toBe(0);
    expect(await count({ bool: { should, minimum_should_match: 0 } })).toBe(0);
    expect(await count({ bool: { should, filter: { match_all: {} } } })).toBe(5);
  });

  it('orders terms by count, then by their bytes', async () => {
    expect((await buckets({ terms: { field: 'data.txt' } })).map(({ key }) => key)).toEqual(['a', 'é']);
    expect((await buckets({ terms: { field: 'device.tags' } })).map(({ key, doc_count: of }) => [key, of])).toEqual([
      ['a', 3],
      ['b', 3],
    ]);
  });

  it('returns two buckets for the hour that comes twice in autumn', async () => {
    const hours = await buckets({
      date_histogram: {
        field: 'ts',
        calendar_interval: 'hour',
        time_zone: 'Europe/Paris',
        min_doc_count: 1,
        hard_bounds: { max: '2026-10-25T12:00:00Z' },
      },
    });
    expect(hours.map(({ key_as_string: key }) => key)).toEqual([
      '2026-10-25T02:00:00.000+02:00',
      '2026-10-25T02:00:00.000+01:00',
      '2026-10-25T03:00:00.000+01:00',
    ]);
  });

  it('divides an hourly rate by 24 even for the day of 25 hours', async () => {
    const found = await ask({
      size: 0,
      aggs: {
        a: {
          date_histogram: { field: 'ts', calendar_interval: 'day', time_zone: 'Europe/Berlin' },
          aggs: { hourly: { rate: { unit: 'hour' } }, weekly: { rate: { unit: 'week' } } },
        },
      },
    });
    expect(found.aggregations['a']!.buckets).toEqual([
      {
        key_as_string: '2026-10-25T00:00:00.000+02:00',
        key: Date.UTC(2026, 9, 24, 22),
        doc_count: 3,
        hourly: { value: 3 / 24 },
        weekly: { value: 21 },
      },
      {
        key_as_string: '2026-10-26T00:00:00.000+01:00',
        key: Date.UTC(2026, 9, 25, 23),
        doc_count: 2,
        hourly: { value: 2 / 24 },
        weekly: { value: 14 },
      },
    ]);
  });

  it('rounds the bounds of a range of days to the start or end of the day', async () => {
    expect(await count({ range: { ts: { lte: '2026-10-25' } } })).toBe(3);
    expect(await count({ range: { ts: { gt: '2026-10-25' } } })).toBe(2);
    expect(await count({ range: { ts: { lt: '2026-10-25', time_zone: 'America/New_York' } } })).toBe(3);
  });

  it('matches integers beyond 2^53 exactly, and returns FLOAT32 values as their shortest decimals', async () => {
    expect(await count({ term: { 'data.n': '9007199254740993' } })).toBe(1);
    expect(await count({ term: { 'data.n': '9007199254740992' } })).toBe(0);
    expect((await buckets({ terms: { field: 'data.n' } })).map(({ key }) => key)).toEqual([1, '9007199254740993']);
    expect((await ask({ size: 0, aggs: { a: { max: { field: 'data.t' } } } })).aggregations['a']!.value).toBe(20.1);
  });

  it('returns the sort value of a missing long, and accepts it in search_after', async () => {
    const sort = [{ 'data.n': 'asc' }, { _id: 'asc' }];
    const all = (await ask({ sort })).hits.hits;
    expect(all.map(({ sort: values }) => values![0])).toEqual([
      1,
      '9007199254740993',
      ...Array.from({ length: 3 }, () => '9223372036854775807'),
    ]);
    const seen: string[] = [];
    for (let cursor: unknown[] | undefined; seen.length < 5; ) {
      const [hit] = (await ask({ size: 1, sort, ...(cursor && { search_after: cursor }) })).hits.hits;
      seen.push(hit!._id);
      cursor = hit!.sort!;
    }
    expect(seen).toEqual(all.map(({ _id }) => _id));
  });

  it('matches unquoted words of a bool_prefix query string as prefixes', async () => {
    const found = (query: string, type: string) =>
      count({ query_string: { query, type, fields: ['device.serial'], lenient: true } });
    expect([await found('0', 'best_fields'), await found('"0"', 'bool_prefix')]).toEqual([0, 0]);
    expect(await found('0', 'bool_prefix')).toBe(await count({ prefix: { 'device.serial': '0' } }));
    expect(await found('0', 'bool_prefix')).toBeGreaterThan(0);
  });

  it('searches each word of a query string in every field that can hold it', async () => {
    const words = ['a', '1', 'x', '5', '2026-10-26', 'nothing', 'a'];
    const ask = (query: string) => ({
      query_string: { query, fields: ['ts', 'data.t', 'data.txt', 'data.n', 'data.free', 'data.loose'], lenient: true },
    });
    const each = words.map(ask);
    const found = await count(ask(words.join(' OR ')));
    expect(found).toBe(await count({ bool: { should: each } }));
    expect(found).toBeGreaterThan(await count(each[0]!));
  });

  it('returns 400 when extended_bounds reach beyond hard_bounds into another bucket', async () => {
    const bounded = (max: string) => ({
      date_histogram: {
        field: 'ts',
        fixed_interval: '2h',
        extended_bounds: { max },
        hard_bounds: { max: '2026-10-26T14:00:00Z' },
      },
    });
    expect((await buckets(bounded('2026-10-26T15:59:59Z'))).length).toBeGreaterThan(0);
    expect(await world.ask({ size: 0, aggs: { a: bounded('2026-10-26T16:00:00Z') } })).toMatchObject({
      status: 400,
      error: { root_cause: [{ type: 'illegal_argument_exception' }] },
    });
  });

  it('returns illegal_argument_exception for a precision_threshold that is no integer', async () => {
    for (const text of ['', 'x']) {
      const a = { cardinality: { field: 'data.t', precision_threshold: text } };
      expect(await world.ask({ size: 0, aggs: { a } })).toMatchObject({
        status: 400,
        error: { caused_by: { type: 'illegal_argument_exception', reason: `For input string: "${text}"` } },
      });
    }
  });

  it('returns too_many_buckets_exception above 65,535 buckets, before gaps are filled', async () => {
    const answer = await world.ask({ size: 0, aggs: { a: { histogram: { field: 'data.n', interval: 1 } } } });
    expect(answer).toMatchObject({ status: 503, error: { type: 'too_many_buckets_exception', max_buckets: 65_535 } });
  });

  it('ignores a value that does not fit its variable, and lists it in _ignored', async () => {
    const [hit] = (await ask({ query: { range: { ts: { gte: '2026-10-25T02:30:00Z', lt: '2026-10-26' } } } })).hits
      .hits;
    expect(hit?._ignored?.toSorted()).toEqual(['data.n', 'data.t']);
    expect(await count({ exists: { field: 'data.t' } })).toBe(2);
  });

  it('refuses an intersection of a part of a regular expression', async () => {
    expect(await world.ask({ query: { regexp: { 'data.txt': 'x|a&b' } } })).toMatchObject({
      status: 400,
      error: { root_cause: [{ type: 'illegal_argument_exception' }] },
    });
    expect(await count({ regexp: { 'data.txt': '(x|a)&a' } })).toBe(2);
  });

  it('reads undeclared fields by the kind of their first value', async () => {
    expect(await count({ term: { 'data.free': 6 } })).toBe(1);
    expect(await count({ range: { 'metadata.rssi': { lt: 0 } } })).toBe(1);
    expect(await count({ exists: { field: 'data.loose' } })).toBe(1);
  });

  it('reads the values of objects inside arrays as several values of one field', async () => {
    for (const [field, value] of Object.entries({ 'data.list.x': [1, 2, 3], 'data.list.o.y': ['a', 'b', 'true'] })) {
      for (const one of value) expect([one, await count({ term: { [field]: one } })]).toEqual([one, 1]);
      expect((await buckets({ terms: { field } })).map(({ key }) => key)).toEqual(value);
      expect(await count({ exists: { field } })).toBe(1);
    }
    expect(
      await count({ bool: { filter: ['data.list', 'data.list.o'].map((field) => ({ exists: { field } })) } }),
    ).toBe(1);
    expect(await count({ term: { 'data.list.x': 4 } })).toBe(0);
    expect((await ask({ size: 0, aggs: { a: { sum: { field: 'data.list.x' } } } })).aggregations['a']!.value).toBe(9);
  });

  it('counts a record in composite once for each of its numbers, also of equal ones', async () => {
    const found = async (source: object) =>
      (await buckets({ composite: { sources: [{ s: source }] } })).map(({ key, doc_count: of }) => [key, of]);
    const field = 'data.list.x';
    expect(await found({ terms: { field } })).toEqual([
      [{ s: 1 }, 1],
      [{ s: 2 }, 1],
      [{ s: 3 }, 2],
    ]);
    expect(await found({ histogram: { field, interval: 2 } })).toEqual([
      [{ s: 0 }, 1],
      [{ s: 2 }, 3],
    ]);
  });

  it('matches nothing on an unknown field, and sorts by it only with unmapped_type', async () => {
    expect(await count({ term: { nope: 1 } })).toBe(0);
    expect(await world.ask({ sort: ['nope'] })).toMatchObject({
      status: 400,
      error: { type: 'query_shard_exception' },
    });
    expect(await world.ask({ sort: [{ nope: { unmapped_type: 'long' } }] })).toMatchObject({ status: 200 });
  });

  it('returns 400 for a field whose products disagree on its type, and combines integers with floats', async () => {
    expect(await world.ask({ query: { exists: { field: 'data.txt2' } } })).toMatchObject({
      status: 400,
      error: { type: 'illegal_argument_exception' },
    });
    expect(
      await world.ask({ products: [world.productIds['other']!], query: { exists: { field: 'data.txt2' } } }),
    ).toMatchObject({ status: 200 });
    expect(await count({ term: { 'data.t': 20.1 } })).toBe(1);
  });

  it('searches only the products that the query names, or all when it names none', async () => {
    const { probe, other } = world.productIds;
    const total = async (products: string[]) => (await ask({ products })).hits.total.value;
    expect(await Promise.all([total([probe!]), total([other!]), total(['nonsense']), total([])])).toEqual([3, 0, 0, 5]);
  });
});
