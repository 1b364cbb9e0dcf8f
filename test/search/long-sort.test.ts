import { describe, expect, it } from '@jest/globals';
import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { useWorld } from './world.js';

const [smallest, largest] = ['-9223372036854775808', '9223372036854775807'];
/** Sort values as OpenSearch 2.4.1 answers them: sums of longs wrap around, and only single values stay exact. */
const cases: { values: string[]; sum: number | string; avg: number | string; median: number | string }[] = [
  { values: [largest, '1'], sum: smallest, avg: '-4611686018427387904', median: '4611686018427387904' },
  { values: [largest, largest], sum: -2, avg: -1, median: largest },
  { values: [smallest, smallest], sum: 0, avg: 0, median: smallest },
  {
    values: [largest, '9223372036854775806', '9007199254740993'],
    sum: 9007199254740990,
    avg: 3002399751580330,
    median: '9223372036854775806',
  },
  {
    values: [largest, '9223372036854775806', smallest, '0'],
    sum: '9223372036854775805',
    avg: '2305843009213693952',
    median: '4611686018427387904',
  },
  { values: [largest], sum: largest, avg: largest, median: largest },
  { values: ['1', '2'], sum: 3, avg: 2, median: 2 },
  { values: ['-1', '-2'], sum: -3, avg: -1, median: -1 },
];

const world = useWorld({
  products: { meter: [{ name: 'big', type: VariableType.INT64 }] },
  devices: [{ serial: '01', product: 'meter' }],
  records: [
    ...cases.map(({ values }, n) => ({ serial: '01', ts: 1_780_000_000 + n, data: { big: values, n } })),
    { serial: '01', ts: 1_790_000_000, data: { huge: [1.7e308, 1.7e308] } },
  ],
});

const sorted = async (sort: PlainJson): Promise<PlainJson[]> => {
  const query = { exists: { field: 'data.big' } };
  const answer = await world.ask({ size: 100, query, sort: [sort, { 'data.n': 'asc' }] });
  return (answer as unknown as { hits: { hits: { sort: PlainJson[] }[] } }).hits.hits
    .toSorted((one, other) => Number(one.sort[1]) - Number(other.sort[1]))
    .map((hit) => hit.sort[0]!);
};

describe('sort by several longs near the ends of their range', () => {
  it.each(['sum', 'avg', 'median'] as const)('returns the sort values of OpenSearch for the mode %s', async (mode) => {
    const values = await sorted({ 'data.big': { order: 'asc', mode } });
    expect(values.map(String)).toEqual(cases.map((one) => String(one[mode])));
  });
});

describe('search for a number beyond the largest double', () => {
  it.each([
    [{ size: 0, aggs: { a: { avg: { field: 'data.huge' } } } }],
    [{ size: 0, aggs: { a: { sum: { field: 'data.huge' } } } }],
    [{ size: 0, aggs: { a: { extended_stats: { field: 'data.huge' } } } }],
    [{ sort: [{ 'data.huge': { order: 'asc', mode: 'sum' } }] }],
    [{ sort: [{ 'data.huge': { order: 'asc', mode: 'avg' } }] }],
  ])('answers in words of the service for %j', async (query) => {
    const text = JSON.stringify(await world.ask(query));
    expect(text).not.toMatch(/value out of range|overflow|bigint|double precision/);
  });
});
