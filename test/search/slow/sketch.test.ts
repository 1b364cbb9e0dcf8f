import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { aggregationsOf, askWith, noise, rollUpAll } from '../rolled.js';
import { useWorld, worldNow } from '../world.js';

const days = 5;
const start = worldNow / 1000 - days * 24 * 3600;
const serials = ['a1', 'a2', 'b1', 'b2'];
const recordOf = (index: number) => ({
  serial: serials[index % 4]!,
  ts: Math.round((start + noise(index) * days * 24 * 3600) * 1e6) / 1e6,
  data: {
    // Nearly all values differ, then few values, then texts that are too many to count one by one.
    t: noise(index + 0.5) * 1e6 - 5e5,
    steps: Math.floor(noise(index + 0.3) ** 2 * 900) - 100,
    ...(index % 3 === 0 ? {} : { label: `no. ${index % 5000}` }),
    ...(index % 7 === 0 ? { on: index % 2 === 0 } : {}),
    big: 2 ** 53 + index,
    ...(index % 20 === 0 ? { changed: index } : {}),
  },
});

const t = { name: 't', type: VariableType.FLOAT32 };
const steps = { name: 'steps', type: VariableType.INT16 };
const label = { name: 'label', type: VariableType.TXT };
const on = { name: 'on', type: VariableType.BOOL };
const big = { name: 'big', type: VariableType.INT64 };
/** A number variable that later becomes a text. */
const changed = { name: 'changed', type: VariableType.FLOAT32 };
const world = useWorld({
  products: { first: [t, steps, label, on, big, changed], second: [label, on, steps, t, big] },
  devices: [
    { serial: 'a1', product: 'first' },
    { serial: 'a2', product: 'first' },
    { serial: 'b1', product: 'second' },
    { serial: 'b2', product: 'second' },
  ],
  records: Array.from({ length: 9000 }, (_, index) => recordOf(index)),
});

beforeAll(async () => {
  await rollUpAll(world.pool);
  // Stores late data: its days are rolled up again, and one day is stale.
  await world.store(Array.from({ length: 40 }, (_, index) => recordOf(20_000 + index)));
  await rollUpAll(world.pool);
  const late = Array.from({ length: 20 }, (_, index) => ({
    ...recordOf(30_000 + index),
    ts: start + 40 * 3600 + index,
  }));
  await world.store(late);
}, 120_000);

const ask = (rollups: boolean, query: PlainJson, range: PlainJson = whole) => askWith(world, { rollups }, query, range);
const whole = { gte: start, lte: start + days * 24 * 3600 };
const distinct = async (rollups: boolean, metric: { [key: string]: PlainJson }, more: object = {}): Promise<number> => {
  const answer = await ask(rollups, { products: [], size: 0, aggs: { c: { cardinality: metric } }, ...more });
  return (aggregationsOf(answer) as { c: { value: number } }).c.value;
};
const emptySketches = () =>
  world.pool.query(sql`update record_digest_total set sketch = int4send(0) where sketch is not null`);

/**
 * Counts up to 3,000 must be equal. Above, they may differ by five times the standard error of 0.8 %. All else must be
 * equal.
 */
const expectSketched = (got: unknown, wanted: unknown): void => {
  if (typeof got === 'number' && typeof wanted === 'number' && wanted > 3000)
    expect(Math.abs(got / wanted - 1)).toBeLessThan(0.04);
  else if (typeof got === 'object' && got !== null && typeof wanted === 'object' && wanted !== null) {
    expect(Object.keys(got)).toEqual(Object.keys(wanted));
    for (const [key, value] of Object.entries(got)) expectSketched(value, (wanted as Record<string, unknown>)[key]);
  } else expect(got).toEqual(wanted);
};

describe('cardinality aggregation over sketches', () => {
  it('returns the exact count up to 3,000 different values, and within 4 % beyond', async () => {
    const { first, second } = world.productIds;
    const field = fc.constantFrom('data.t', 'data.steps', 'data.label', 'data.on', 'data.big');
    const threshold = fc.constantFrom<PlainJson>({}, { precision_threshold: 100 }, { precision_threshold: 20_000 });
    const metric = fc
      .tuple(field, threshold)
      .map(([name, options]): PlainJson => ({ cardinality: { field: name, ...(options as object) } }));
    const metrics = fc
      .tuple(metric, metric)
      .map(([m, n]): Record<string, PlainJson> => ({ m, n, v: { value_count: { field: 'data.label' } } }));
    const aggs = fc.oneof(
      metrics,
      metrics.map((inner) => ({ d: { terms: { field: 'product.id', order: { m: 'asc' } }, aggs: inner } })),
      metrics.map((inner) => ({ d: { date_histogram: { field: 'ts', calendar_interval: '1d' }, aggs: inner } })),
      metrics.map((inner) => ({ d: { filter: { prefix: { 'device.serial': 'a' } }, aggs: inner } })),
    );
    const moment = fc.integer({ min: -2, max: days * 24 + 2 }).map((hours) => start + hours * 3600);
    const range = fc.oneof(
      fc.constant(whole),
      fc.tuple(moment, moment).map(([a, b]) => ({ gte: Math.min(a, b), lte: Math.max(a, b) })),
    );
    const products = fc.constantFrom<PlainJson[]>([], [first!], [second!]);
    await fc.assert(
      fc.asyncProperty(aggs, products, range, async (aggregations, named, within) => {
        const body = { products: named, size: 0, aggs: aggregations };
        const [got, wanted] = [await ask(true, body, within), await ask(false, body, within)];
        expectSketched(aggregationsOf(got), aggregationsOf(wanted));
      }),
      { numRuns: 60 },
    );
  }, 240_000);

  it('counts days that an earlier version rolled up from the records, and then makes their sketches', async () => {
    const exact = await distinct(false, { field: 'data.t' });
    await emptySketches();
    await world.pool.query('update record_summary set sketched = false');
    expectSketched(await distinct(true, { field: 'data.t' }), exact);
    await rollUpAll(world.pool);
    const { rows } = await world.pool.query('select from record_summary where not sketched');
    expect(rows).toEqual([]);
    expectSketched(await distinct(true, { field: 'data.t' }), exact);
  }, 120_000);

  it('uses sketches up to a precision_threshold of 3,000, and the records beyond that', async () => {
    const labels = await distinct(false, { field: 'data.label' });
    await rollUpAll(world.pool);
    await emptySketches();
    expect(await distinct(true, { field: 'data.label' })).toBeLessThan(labels / 2);
    expect(await distinct(true, { field: 'data.label', precision_threshold: 3001 })).toBe(labels);
    expect(await distinct(true, { field: 'data.label', missing: 'none' })).toBe(labels + 1);
    const tooLarge = { products: [], size: 0, aggs: { c: { cardinality: { field: 'data.label' } } } };
    expect(aggregationsOf(await askWith(world, { rollups: true, digestBytes: 1 }, tooLarge, whole))).toEqual({
      c: { value: labels },
    });
    const query = { bool: { filter: [{ term: { 'device.serial': 'a1' } }] } };
    expect(await distinct(true, { field: 'data.label' }, { query })).toBe(
      await distinct(false, { field: 'data.label' }, { query }),
    );
    // Integers beyond the range of a double, and a variable counted value by value.
    expect(await distinct(true, { field: 'data.big' })).toBe(await distinct(false, { field: 'data.big' }));
    expect(await distinct(true, { field: 'data.on' })).toBe(2);
  }, 60_000);

  it('returns 0 for a variable whose type changed when no record has the new type', async () => {
    const variables = JSON.stringify([t, steps, label, on, big, { ...changed, type: VariableType.TXT }]);
    await world.pool.query(sql`update product set variables = ${variables} where id = ${world.productIds['first']}`);
    const { first } = world.productIds;
    expect(await distinct(true, { field: 'data.changed' }, { products: [first] })).toBe(0);
  });
});
