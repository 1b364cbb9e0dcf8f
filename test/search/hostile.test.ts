import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { VariableType } from '#entities/enums.js';
import { locate, type PlainJson } from '#json/json.js';
import { planTree } from '#records/postgres/search/aggregation/tree.js';
import { statement } from '#records/postgres/search/hits/page.js';
import { parseAggregations } from '#search/aggregation/parse.js';
import { declaredField } from '#search/field/catalogue.js';
import type { Fields } from '#search/field/field.js';
import { reservedFields } from '#search/field/reserved.js';
import { bindSort } from '#search/hits/bound-sort.js';
import { readCursor } from '#search/hits/search-after.js';
import { parseSort } from '#search/hits/sort.js';
import { Pace } from '#search/pace.js';
import { bindQuery } from '#search/query/bind.js';
import { parseQuery } from '#search/query/parse.js';
import { all } from '#search/query/predicate.js';
import { SearchFailure } from '#search/search-failure.js';
import { Input } from '#search/syntax/input.js';
import { useWorld } from './world.js';

const now = Date.UTC(2026, 10, 20);
const productId = '01900000-0000-7000-8000-000000000001';
const variables = { t: VariableType.FLOAT32, n: VariableType.INT64, on: VariableType.BOOL, txt: VariableType.TXT };

/** Fields of a product whose variables have names chosen by the caller. */
const fieldsNamed = (rename: (name: string) => string): Fields => {
  const declared = Object.entries(variables).map(([name, type], index) => {
    const path = `data.${rename(name)}`;
    return [
      path,
      declaredField(path, [{ productId, name: rename(name), type, slot: index + 1 }], true, false),
    ] as const;
  });
  const known = new Map([...reservedFields, ...declared]);
  return {
    find: (path) => known.get(path),
    kindOf: (path) => known.get(path)?.kind,
    paths: () => [...known.keys()],
    matching: () => [],
    hasUnder: () => false,
  };
};

const scope = {
  organizationId: productId,
  deviceIds: [productId],
  productIds: [],
  from: '2026-01-01T00:00:00Z',
  to: '2026-12-01T00:00:00Z',
};
const input = (value: PlainJson) => new Input(locate(value), 'queries.0');

/** Returns the SQL of all statements of one search, with `word` in every place that accepts a text. */
const sqlOf = (word: string): string[] => {
  const fields = fieldsNamed((name) => `${name}${word}`);
  const binding = { fields, now };
  const txt = `data.txt${word}`;
  const query = parseQuery(
    input({
      bool: {
        must: [
          { term: { [txt]: word } },
          { terms: { [txt]: [word, 'x'] } },
          { prefix: { [txt]: word } },
          { match: { [txt]: { query: word, lenient: true } } },
        ],
        should: [
          { wildcard: { [txt]: `a${word}` } },
          { range: { [txt]: { gte: word, lt: `${word}z` } } },
          { exists: { field: txt } },
        ],
        must_not: [
          { ids: { values: [word] } },
          { term: { [txt]: { value: word, case_insensitive: true } } },
          { exists: { field: `metadata.${word}.x` } },
        ],
        minimum_should_match: 2,
      },
    }),
  );
  const predicate = bindQuery(query, binding);
  const sort = bindSort(
    parseSort(input([{ [txt]: { order: 'desc', missing: word } }, { ts: 'asc' }, { [`data.n${word}`]: 'asc' }])),
    binding,
  );
  const after = readCursor(input([word, 1, 2]), sort, now);
  const hits = statement({
    scope,
    predicates: [predicate],
    after,
    sort,
    from: 0,
    size: 10,
    source: false,
    fields: [],
    times: 'seconds',
    weigh: () => true,
  });
  const name = word.replaceAll(/[[\]>]/g, '') || 'a';
  const aggregations = parseAggregations(
    input({
      [name]: {
        terms: { field: txt, missing: word, include: [word, 'y'], order: { [`${name}.avg`]: 'desc' } },
        aggs: {
          [name]: { stats: { field: `data.t${word}` } },
          day: {
            date_histogram: { field: 'ts', calendar_interval: 'day' },
            aggs: { u: { cardinality: { field: txt, missing: word } } },
          },
        },
      },
      [`${name}2`]: { filters: { filters: { [word]: { term: { [txt]: word } } } } },
      [`${name}3`]: { composite: { sources: [{ [word]: { terms: { field: txt } } }], after: { [word]: word } } },
      [`${name}4`]: { top_hits: { sort: [{ [txt]: 'desc' }] } },
    }),
  );
  const span = { from: Date.UTC(2026, 0, 1), to: now };
  const shared = {
    fields,
    now,
    span,
    found: new Map(),
    times: 'seconds' as const,
    pace: new Pace({ deadline: Infinity, organizationId: '' }),
  };
  const weigh = () => undefined;
  const tree = planTree(aggregations, scope, all, { ...shared, weigh, names: { scope, named: new Map(), weigh } });
  return [hits.text, ...tree!.queries.map((rows) => rows.statement().text)];
};

const hostile = fc.oneof(
  fc.string({
    unit: fc.constantFrom("'", '"', ';', '-', '\\', '$', '1', '%', '_', '(', ')', ' ', 'x', '{', '}', ':', '*', '/'),
    minLength: 1,
    maxLength: 20,
  }),
  fc.constantFrom(
    "'; drop table record; --",
    '$1',
    '$$',
    '"; select 1; --',
    "\\'; --",
    '::text',
    '${x}',
    "' or '1'='1",
  ),
);

describe('SQL of a search', () => {
  const plain = sqlOf('word');

  it('stays the same whatever texts the caller sends', () => {
    fc.assert(
      fc.property(hostile, (word) => {
        // Paths in sort orders are trimmed, so they cannot name a field that begins or ends with a blank.
        fc.pre(!word.includes('.') && !/[*?\\]/.test(word) && word.trim() === word);
        expect(sqlOf(word)).toEqual(plain);
      }),
      { numRuns: 500 },
    );
  });

  it('contains no text of the caller', () => {
    expect(plain.join(' ')).not.toContain('word');
    expect(plain).toHaveLength(7);
  });
});

describe('search with hostile input', () => {
  const world = useWorld({
    products: { probe: Object.entries(variables).map(([name, type]) => ({ name, type })) },
    devices: [{ serial: '01', product: 'probe' }],
    records: [{ serial: '01', ts: 1_774_737_000, data: { t: '1e300', n: 'n/a', on: 'maybe', txt: ['a', 'b'] } }],
  });

  it('returns 200, 400 or 503 for each random query', async () => {
    const text = fc.oneof(
      hostile,
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constant('\0'),
      fc.constant('\ud800'),
    );
    const value = fc.oneof(
      text,
      fc.double(),
      fc.bigInt().map(String),
      fc.boolean(),
      fc.constant(null),
      fc.constant([]),
      fc.constant({}),
    );
    const path = fc.constantFrom(
      'data.t',
      'data.n',
      'data.on',
      'data.txt',
      'ts',
      '_id',
      '_doc',
      'device.id',
      'device.tags',
      'device.location',
      'nope',
      'data',
    );
    const clause = fc.constantFrom(
      'term',
      'match',
      'prefix',
      'wildcard',
      'regexp',
      'range',
      'terms',
      'match_phrase',
      'geo_distance',
    );
    const metric = fc.constantFrom(
      'terms',
      'avg',
      'cardinality',
      'percentiles',
      'value_count',
      'stats',
      'histogram',
      'date_histogram',
      'missing',
      'top_hits',
    );
    const query = fc.oneof(
      fc.record({ clause, path, value }).map(({ clause: name, path: field, value: of }) => ({
        query: { [name]: { [field]: name === 'range' ? { gte: of } : name === 'terms' ? [of] : of } },
      })),
      text.map((of) => ({ query: { query_string: { query: of } } })),
      text.map((of) => ({ query: { simple_query_string: { query: of } } })),
      fc.record({ metric, path, text, value }).map(({ metric: kind, path: field, text: name, value: missing }) => ({
        size: 0,
        aggs: { [name]: { [kind]: { field, missing } } },
      })),
      fc
        .record({ path, value })
        .map(({ path: field, value: of }) => ({ sort: [{ [field]: 'asc' }], search_after: [of] })),
      fc.record({ text }).map(({ text: of }) => ({ [of]: of })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(query, { minLength: 1, maxLength: 10 }), async (queries) => {
        const { responses } = await world.askAll(queries.map((one) => ({ products: [], ...one })) as PlainJson[]);
        expect(responses.map(({ status }) => [200, 400, 503].includes(status))).toEqual(queries.map(() => true));
      }),
      { numRuns: 40 },
    );
  }, 180_000);

  it.each<PlainJson>([
    { terms: { field: 'data.n', missing: 1.5 } },
    { terms: { field: 'data.n', include: [1.5] } },
    { terms: { field: 'data.n', exclude: [1, 1.5] } },
    { date_histogram: { field: 'ts', calendar_interval: 'month', offset: 1e20 } },
    {
      date_histogram: { field: 'ts', calendar_interval: 'day', time_zone: 'Europe/Paris', offset: '100000000000000d' },
    },
    {
      composite: { sources: [{ a: { date_histogram: { field: 'ts', calendar_interval: 'month', offset: '1e20d' } } }] },
    },
  ])('returns 200 or 400 for extreme numbers: %j', async (aggregation) => {
    const { responses } = await world.askAll([{ products: [], size: 0, aggs: { a: aggregation } }]);
    expect([200, 400]).toContain(responses[0]!.status);
  });

  it('throws SearchFailure for an unknown query clause', () => {
    expect(() => parseQuery(input({ nope: {} }))).toThrow(SearchFailure);
  });
});
