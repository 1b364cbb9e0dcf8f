import { beforeAll, describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { fairQueueFor } from '#database/pool-queue.js';
import { VariableType } from '#entities/enums.js';
import { locate, type PlainJson } from '#json/json.js';
import { createSearch } from '#records/postgres/search/postgres-search.js';
import { freezeBlocks, makeBlocks } from './blocks.js';
import type { Plain } from './oracle/plain.js';
import { useWorld, worldNow } from './world.js';

const data: readonly { [key: string]: PlainJson }[] = [
  { v: 1, n: '9223372036854775807', s: 'a', 'p.q': 'dotted', o: { x: 1, y: 'q' }, mixed: 1 },
  { v: -0, 'o.x': 2, mixed: '1', price: 3 },
  { mixed: true, list: [1, 2, 3], n: '-9007199254740993' },
  { mixed: 'true', list: 4, p: { q: 'nested' } },
  { mixed: 21.5, list: [], large: 1e308, s: '21.50' },
  { mixed: null, list: [{ a: 1 }, { a: [2, 3] }, null, 'a'] },
  { s: 'tab\t\u0001', text: '😀 \\u0000', o: { x: { deep: 1 } }, small: 5e-324 },
  { v: [1, 2], n: [5], s: ['b', 'c', 'b'], o: { x: [7, 8] }, large: -1e308 },
  { 0: 'zero', o: { 0: 5, 'a.b': 1, 'q"#': 2, 'back\\slash': 3, 'br[0]': 4, é: 'ü' } },
  { o: [5, 6], large: 2 ** 60, mixed: [true, false] },
  { n: 9007199254740991, v: 1e9, price: '7', text: 'y' },
  {},
];

const world = useWorld({
  products: {
    probe: [
      { name: 'v', type: VariableType.FLOAT32 },
      { name: 'n', type: VariableType.INT64 },
      { name: 's', type: VariableType.TXT },
      { name: 'p.q', type: VariableType.TXT },
    ],
  },
  devices: [{ serial: '01', product: 'probe' }, { serial: '02', product: 'probe' }, { serial: '03' }, { serial: '04' }],
  records: Array.from({ length: 120 }, (_, index) => ({
    serial: `0${(index % 4) + 1}`,
    // Two days: on the second one all texts differ, so that its parts are kept whole.
    ts: Date.UTC(2026, 10, index < 96 ? 3 : 4, index % 24) / 1000,
    metadata: {
      rssi: -index,
      tags: index % 3 === 0 ? ['a', index] : 'a',
      'm.x': index % 2 === 0,
      up: { port: index % 5 },
    },
    data: {
      ...data[(index * 5) % data.length]!,
      ...(index >= 96 && { [`k${index}`]: index }),
      ...(index === 20 && { text: 'y'.repeat(1_000_000) }),
    },
  })),
});

const asker = (blocks: boolean) => {
  const { pool, organizationId, applicationId } = world;
  const search = createSearch({
    pool,
    queue: fairQueueFor(pool),
    clock: () => worldNow,
    timeoutMs: 60_000,
    rollups: false,
    blocks,
  });
  return async (bodies: readonly Plain[]) => {
    const { responses } = await search.prepare(
      locate({ gte: 946_684_800, lte: 4_102_444_800 }),
      locate(
        bodies.map((body) => ({ products: [], size: 0, track_total_hits: true, ...body })) as unknown as PlainJson,
      ),
    )({ organizationId, applicationId });
    return (responses as unknown as Plain[]).map(({ took: _, ...rest }) => rest);
  };
};

const questions = (field: string): Plain[] => [
  { query: { exists: { field } } },
  { query: { bool: { must_not: { exists: { field } } } }, aggs: { a: { terms: { field: 'metadata.up.port' } } } },
  { query: { range: { [field]: { gte: 1 } } } },
  ...['1', '21.50', 'true', '9223372036854775807'].map((query) => ({
    query: { query_string: { query, fields: [field], lenient: true } },
  })),
  { aggs: { a: { terms: { field, size: 200 } } } },
  { aggs: { a: { missing: { field } }, b: { value_count: { field } }, c: { cardinality: { field } } } },
  { aggs: { a: { min: { field } }, b: { max: { field } } } },
];

/** Bodies with their answers from rows. */
const answered: [body: Plain, answer: Plain][] = [];

beforeAll(async () => {
  await world.pool.query(sql`update record set data = data || '{"price": 21.50}' where data ? 'v'`);
  await makeBlocks(world.pool);
});

describe('searches over blocks', () => {
  it('returns for every field what rows return', async () => {
    const { rows } = await world.pool.query<{ path: string }>('select path from record_field order by path');
    const paths = [
      ...rows.map(({ path }) => path),
      'data',
      'metadata',
      'data.o',
      'metadata.up',
      '_id',
      'data.p',
      'nope',
    ];
    expect(paths).toEqual(expect.arrayContaining(['data.o.q"#', 'data.list.a', 'data.o.0', 'metadata.m.x']));
    const bodies = [
      ...paths.filter((path) => !path.startsWith('data.k')).flatMap(questions),
      ...['1', 'a', 'true', '21.50', 'ü'].map((query) => ({ query: { query_string: { query, lenient: true } } })),
      { query: { exists: { field: 'data' } }, aggs: { a: { missing: { field: 'data.o' } } } },
      { query: { bool: { filter: [{ exists: { field: 'data' } }, { exists: { field: 'data.o' } }] } } },
      {
        aggs: { a: { filters: { filters: ['metadata', 'data.o', 'data.p'].map((field) => ({ exists: { field } })) } } },
      },
      { query: { bool: { filter: [{ exists: { field: 'data.p' } }, { term: { 'data.list': 2 } }] } } },
      { size: 200, sort: [{ _doc: 'asc' }], fields: ['data.*', 'metadata.*', '_id'] },
      ...['data.v', 'data.s', 'data.mixed', 'data.list', 'data.n'].map((field) => ({
        size: 30,
        sort: [{ [field]: 'desc' }, { _id: 'asc' }],
      })),
      {
        aggs: {
          a: {
            terms: { field: 'metadata.up.port' },
            aggs: { b: { top_hits: { size: 3, sort: [{ 'data.n': 'desc' }] } }, c: { top_hits: { size: 2 } } },
          },
        },
      },
    ];
    const [over, beside] = [asker(true), asker(false)];
    for (let from = 0; from < bodies.length; from += 50) {
      const some = bodies.slice(from, from + 50);
      const [ours, theirs] = [await over(some), await beside(some)];
      answered.push(...some.map((body, index): [Plain, Plain] => [body, theirs[index]!]));
      expect(some.map((body, index) => [body, ours[index]])).toEqual(some.map((body, index) => [body, theirs[index]]));
    }
  });

  it('reads no rows of finished days', async () => {
    await world.pool.query(
      'update record set data = $$ {} $$, metadata = $$ {} $$, numbers = null, texts = null, many = null',
    );
    const [answer] = await asker(true)([
      { query: { exists: { field: 'data.o' } }, aggs: { a: { terms: { field: 'data.mixed' } } } },
    ]);
    expect(answer).toMatchObject({ hits: { total: { value: expect.any(Number) } } });
    expect((answer as { hits: { total: { value: number } } }).hits.total.value).toBeGreaterThan(10);
  });

  it('returns the same when only blocks hold the records', async () => {
    await freezeBlocks(world.pool);
    expect((await world.pool.query('select from record')).rowCount).toBe(0);
    const over = asker(false);
    for (let from = 0; from < answered.length; from += 50) {
      const some = answered.slice(from, from + 50);
      const ours = await over(some.map(([body]) => body));
      expect(some.map(([body], index) => [body, ours[index]])).toEqual(some);
    }
  });
});
