import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { useWorld, type WorldRecord } from './world.js';

type Plain = { [key: string]: PlainJson };

const variables = [
  { name: 'n', type: VariableType.INT16 },
  { name: 'state', type: VariableType.TXT },
  { name: 'other', type: VariableType.INT16 },
  { name: 'many', type: VariableType.TXT },
];
const at = (day: number) => Date.UTC(2026, 10, day) / 1000;
const record = (day: number, data: Plain): WorldRecord => ({ serial: '01', ts: at(day), data });

const world = useWorld({
  products: { probe: variables },
  devices: [{ serial: '01', product: 'probe' }],
  records: [
    record(1, { n: 5, state: 'a', other: 1, many: ['x', 'y'] }),
    record(2, { n: 1, state: 'b', other: 2, many: ['z'] }),
  ],
});

const declare = (types: Readonly<Record<string, VariableType>>) =>
  world.pool.query(sql`
    update product set version = version || '1', variables = ${JSON.stringify(
      variables.map(({ name, type }) => ({ name, type: types[name] ?? type })),
    )}::jsonb where id = ${world.productIds['probe']!}`);

interface Hit {
  _ignored?: string[];
  sort?: unknown[];
}
const ask = async (query: Plain) =>
  (await world.ask(query)) as unknown as { hits: { hits: Hit[] }; aggregations: Record<string, Plain> };

/** Stores two records under variable types that then change, and two under the new types. */
beforeAll(async () => {
  // A search makes the index take up the first two records with their original types.
  await ask({});
  await declare({ n: VariableType.FLOAT32, state: VariableType.TXT, many: VariableType.FLOAT32 });
  await world.store([
    record(3, { n: 3.5, state: 'c', other: 3, many: [1, 2] }),
    record(4, { n: 2.5, state: 'd', other: 4, many: 3 }),
  ]);
});
afterEach(() => declare({ n: VariableType.FLOAT32, many: VariableType.FLOAT32 }));

describe('variable whose type has changed', () => {
  it('ignores older values in searches until they are decoded again, and lists them in _ignored', async () => {
    const { hits } = await ask({ sort: [{ 'data.other': 'asc' }] });
    expect(hits.hits.map(({ _ignored = [] }) => _ignored.includes('data.n'))).toEqual([true, true, false, false]);
    const aggs = { n: { stats: { field: 'data.n' } } };
    expect((await ask({ size: 0, aggs })).aggregations).toMatchObject({ n: { count: 2, min: 2.5 } });
    expect((await ask({ query: { exists: { field: 'data.n' } } })).hits.hits).toHaveLength(2);
  });

  it('ignores array items that are not numbers', async () => {
    const aggs = { many: { sum: { field: 'data.many' } } };
    expect((await ask({ size: 0, aggs })).aggregations).toMatchObject({ many: { value: 6 } });
    const hits = (await ask({ sort: [{ 'data.many': { order: 'asc', mode: 'sum' } }, { ts: 'asc' }] })).hits.hits;
    expect(hits.map(({ sort: [key] = [] }) => key)).toEqual([3, 3, 'Infinity', 'Infinity']);
    await declare({ n: VariableType.FLOAT32, many: VariableType.INT64 });
    expect((await ask({ size: 0, aggs: { a: { value_count: { field: 'data.many' } } } })).aggregations).toBeDefined();
    await declare({ n: VariableType.FLOAT32, many: VariableType.BOOL });
    expect((await ask({ size: 0, aggs })).aggregations).toMatchObject({ many: { value: 0 } });
  });

  it('returns null for older values in top_metrics', async () => {
    const sort = { 'data.other': 'asc' };
    const { aggregations } = await ask({
      size: 0,
      aggs: { a: { top_metrics: { metrics: { field: 'data.n' }, sort, size: 4 } } },
    });
    expect((aggregations['a']!['top'] as Plain[]).map(({ metrics }) => (metrics as Plain)['data.n'])).toEqual([
      null,
      null,
      3.5,
      2.5,
    ]);
  });
});
