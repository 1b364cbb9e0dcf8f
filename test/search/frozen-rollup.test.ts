import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { freezeBlocks, makeBlocks } from './blocks.js';
import { aggregationsOf, askWith, expectClose, noise } from './rolled.js';
import { useWorld, type WorldRecord, worldNow } from './world.js';

const days = 8;
const start = worldNow / 1000 - days * 24 * 3600;
/** Number of records of each device: those of the first product send often enough to have rollups of their own. */
const counts = { a1: 6000, a2: 3000, b1: 200, b2: 30, c1: 50 };
let place = 0;
const records = Object.entries(counts).flatMap(([serial, count]) =>
  Array.from({ length: count }, (): WorldRecord => {
    const index = ++place;
    return {
      serial,
      ts: Math.round((start + noise(index) * days * 24 * 3600) * 1e6) / 1e6,
      data: {
        ...(index % 6 === 0 ? {} : { t: Math.round(noise(index + 0.5) * 1e4 - 5e3) / 10 ** (index % 3) }),
        ...(index % 2 === 0 ? { on: index % 4 === 0 } : {}),
        ...(index % 4 === 0 ? {} : { state: ['ok', 'error', 'ümlaut'][index % 3]! }),
      },
    };
  }),
);
const variables = [
  { name: 't', type: VariableType.FLOAT32 },
  { name: 'on', type: VariableType.BOOL },
  { name: 'state', type: VariableType.TXT },
];
const world = useWorld({
  products: { first: variables, second: variables.toReversed() },
  devices: [
    { serial: 'a1', product: 'first' },
    { serial: 'a2', product: 'first', tags: ['round'] },
    { serial: 'b1', product: 'second' },
    { serial: 'b2', product: 'second', linked: false },
    { serial: 'c1' },
  ],
  records,
});

const metric = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('avg', 'sum', 'min', 'max', 'value_count', 'extended_stats'),
      fc.constantFrom('data.t', 'data.on'),
    )
    .map(([kind, field]): PlainJson => ({ [kind]: { field } })),
  fc.constant<PlainJson>({ value_count: { field: 'data.state' } }),
);
const buckets = fc.constantFrom<PlainJson>(
  { terms: { field: 'device.id', order: [{ _key: 'asc' }] } },
  { terms: { field: 'data.state', order: [{ _key: 'asc' }] } },
  { terms: { field: 'data.on', order: [{ _key: 'asc' }] } },
  { filter: { exists: { field: 'device.tags' } } },
  { date_histogram: { field: 'ts', calendar_interval: '1d' } },
  { date_histogram: { field: 'ts', fixed_interval: '6h' } },
  { multi_terms: { terms: [{ field: 'product.id' }, { field: 'device.id' }] } },
);
const aggs = fc
  .tuple(buckets, buckets, fc.array(metric, { maxLength: 2 }))
  .map(([outer, inner, list]): { [key: string]: PlainJson } => {
    const metrics = Object.fromEntries(list.map((one, index) => [`m${index}`, one]));
    return { b: { ...(outer as object), aggs: { i: { ...(inner as object), aggs: metrics }, ...metrics } } };
  });
const time = fc.integer({ min: 0, max: days * 24 * 60 }).map((minutes) => start + minutes * 60);
const range = fc.oneof(
  fc.constant({ gte: start, lte: worldNow / 1000 }),
  fc.tuple(time, time).map((both) => ({ gte: Math.min(...both), lte: Math.max(...both) })),
);
const question = fc.tuple(fc.constantFrom(['first'], ['second'], ['first', 'second'], []), aggs, range);

/** Few numbers a day, so that digests keep them all. */
const percentiles: { [key: string]: PlainJson } = {
  p: { percentiles: { field: 'data.t', percents: [1, 50, 99] } },
  c: { cardinality: { field: 'data.t' } },
};

const asked: { query: PlainJson; within: PlainJson; answer: unknown }[] = [];

beforeAll(async () => {
  await makeBlocks(world.pool);
  const { rows } = await world.pool.query<{ last: string }>('select max(seq) as last from record');
  // Hours of two days become stale.
  await world.store(
    ['a1', 'b1', 'b2', 'c1'].flatMap((serial, index): WorldRecord[] => [
      { serial, ts: start + (40 + index) * 3600, data: { t: index, state: 'late', on: true } },
      { serial, ts: start + (100 + index) * 3600, data: { t: -index, state: 'ok' } },
    ]),
  );
  const some = fc.sample(question, { numRuns: Number(process.env['DIFFERENTIAL_CASES'] ?? 60), seed: 71 });
  const ofProduct = (range_: PlainJson) => [['second'], percentiles, range_] as const;
  const all = [
    ...some,
    ofProduct({ gte: start, lte: worldNow / 1000 }),
    ofProduct({ gte: start + 7e4, lte: start + 5e5 }),
  ];
  for (const [of, tree, within] of all) {
    const products = of.map((name) => world.productIds[name]!);
    const query = { products, size: 0, aggs: tree } as unknown as PlainJson;
    const answer = aggregationsOf(await askWith(world, { rollups: false, blocks: false }, query, within as PlainJson));
    asked.push({ query, within: within as PlainJson, answer });
  }
  await freezeBlocks(world.pool, sql`r.seq <= ${rows[0]!.last}::int8 and extract(day from b.day)::int % 4 > 0`);
});

describe.each([
  { rollups: true, blocks: true },
  { rollups: true, blocks: false },
  { rollups: false, blocks: false },
])('aggregation with %p of days that only blocks hold', (options) => {
  it('returns what it returned from rows', async () => {
    for (const { query, within, answer } of asked)
      try {
        expectClose(aggregationsOf(await askWith(world, options, query, within)), answer);
      } catch (error) {
        throw new Error(JSON.stringify({ query, within }), { cause: error });
      }
  });
});

it('reads rollups of these days', async () => {
  const count = async () =>
    aggregationsOf(
      await askWith(
        world,
        { rollups: true, blocks: false },
        { products: [world.productIds['first']!], size: 0, aggs: { n: { value_count: { field: 'data.t' } } } },
        { gte: start, lte: worldNow / 1000 },
      ),
    ) as { n: { value: number } };
  const before = await count();
  await world.pool.query('update record_total set n = n + 1000 where slot > 0');
  expect((await count()).n.value).toBeGreaterThan(before.n.value + 100_000);
});
