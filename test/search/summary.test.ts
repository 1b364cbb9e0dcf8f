import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { setRollupRule } from '../support/rollup-rule.js';
import { aggregationsOf, askWith, expectClose, noise, purgeAll, rollUpAll } from './rolled.js';
import { useWorld, worldNow } from './world.js';

const days = 6;
const start = worldNow / 1000 - days * 24 * 3600;
const serials = ['a1', 'a2', 'b1', 'b2', 'gone'];
const states = ['ok', 'error', 'Off', 'ümlaut'];
const recordOf = (index: number) => ({
  serial: serials[index % 5]!,
  ts: Math.round((start + noise(index) * days * 24 * 3600) * 1e6) / 1e6,
  data: {
    ...(index % 6 === 0 ? {} : { t: noise(index + 0.5) * 1e4 - 5e3 }),
    ...(index % 7 === 0 ? { on: index % 2 === 0 } : {}),
    ...(index % 4 === 0 ? {} : { state: states[Math.floor(noise(index + 0.2) * 4)]! }),
    ...(index % 11 === 0 ? { state: 'rare' } : {}),
    ...(index % 13 === 0 ? { t: 'broken' } : {}),
    serial: `no. ${index}`,
  },
});

const t = { name: 't', type: VariableType.FLOAT32 };
const on = { name: 'on', type: VariableType.BOOL };
const state = { name: 'state', type: VariableType.TXT };
const serial = { name: 'serial', type: VariableType.TXT };
const world = useWorld({
  products: { first: [t, on, state, serial], second: [serial, state, on, t] },
  devices: [
    { serial: 'a1', product: 'first', tags: ['red', 'round'] },
    { serial: 'a2', product: 'first', tags: ['round'] },
    { serial: 'gone', product: 'first' },
    { serial: 'b1', product: 'second' },
    // Only a part of this product's records belongs to the application.
    { serial: 'b2', product: 'second', linked: false },
  ],
  records: Array.from({ length: 3000 }, (_, index) => recordOf(index)),
});

beforeAll(async () => {
  await setRollupRule(world.pool, 0, 0);
  await rollUpAll(world.pool);
  // Stores late data: its days are rolled up again, and so are those of the device that is deleted.
  await world.store(Array.from({ length: 40 }, (_, index) => recordOf(4000 + index)));
  const { rows } = await world.pool.query<{ id: string }>(
    sql`select id from device where serial = 'gone' and organization_id = ${world.organizationId}`,
  );
  await world.pool.query(sql`delete from application_device where device_id = ${rows[0]!.id}`);
  await world.pool.query(sql`delete from device where id = ${rows[0]!.id}`);
  await purgeAll(world.pool);
  await rollUpAll(world.pool);
  // Stores late data that makes two days of the first product stale.
  const late = Array.from({ length: 12 }, (_, index) => recordOf(5000 + 5 * index));
  await world.store(late.map((record, index) => ({ ...record, ts: start + 47 * 3600 + index * 3600 })));
});

const ask = (rollups: boolean, query: PlainJson, range: PlainJson) => askWith(world, { rollups }, query, range);

const metric = fc
  .tuple(
    fc.constantFrom('avg', 'sum', 'min', 'max', 'value_count', 'stats', 'extended_stats'),
    fc.constantFrom('data.t', 'data.on'),
  )
  .map(([kind, field]): PlainJson => ({ [kind]: { field } }));
const counted = fc.constantFrom<PlainJson>(
  { cardinality: { field: 'data.state' } },
  { cardinality: { field: 'device.id' } },
  { value_count: { field: 'data.state' } },
  { missing: { field: 'data.state' } },
  { filter: { term: { 'data.state': 'ok' } }, aggs: { m: { stats: { field: 'data.t' } } } },
);
const metrics = fc
  .array(fc.oneof(metric, counted), { maxLength: 3 })
  .map((list) => Object.fromEntries(list.map((one, index) => [`m${index}`, one])));
const byKey = (field: string) =>
  fc.constantFrom<PlainJson>(
    { terms: { field } },
    { terms: { field, size: 2, order: [{ _key: 'desc' }] } },
    { terms: { field, exclude: ['ok'], missing: 'none' } },
    { terms: { field, include: '[a-o].*', order: { _count: 'asc' } } },
    { rare_terms: { field, max_doc_count: 40 } },
    { filters: { filters: { a: { term: { [field]: 'ok' } }, b: { prefix: { [field]: 'e' } } }, other_bucket: true } },
    { filter: { bool: { must_not: { exists: { field } } } } },
    { multi_terms: { terms: [{ field }, { field: 'device.id' }] } },
    { multi_terms: { terms: [{ field: 'product.id' }, { field, missing: 'x' }] } },
  );
const buckets = fc.tuple(byKey('data.state'), metrics).map(([one, aggs]): PlainJson => ({ ...(one as object), aggs }));
const flags = fc
  .tuple(fc.constant({ terms: { field: 'data.on' } }), metric)
  .map(([one, m]): PlainJson => ({ ...one, aggs: { m } }));
const composite = fc
  .tuple(
    fc.subarray<PlainJson>(
      [
        { d: { terms: { field: 'device.id' } } },
        { s: { terms: { field: 'data.state', missing_bucket: true, order: 'desc' } } },
        { day: { date_histogram: { field: 'ts', calendar_interval: '1d' } } },
      ],
      { minLength: 2 },
    ),
    fc.integer({ min: 1, max: 20 }),
    metrics,
  )
  .map(([sources, size, aggs]): PlainJson => ({ composite: { size, sources }, aggs }));
const daily = fc
  .tuple(fc.constantFrom('1d', 'week', '1h'), buckets)
  .map(([calendar_interval, b]): PlainJson => ({ date_histogram: { field: 'ts', calendar_interval }, aggs: { b } }));
const tags = buckets.map((b): PlainJson => ({ terms: { field: 'device.tags' }, aggs: { b } }));
const aggs = fc.oneof(
  fc.tuple(buckets, metrics).map(([b, more]): PlainJson => ({ b, ...more })),
  fc.tuple(composite, metrics).map(([c, more]): PlainJson => ({ c, ...more })),
  // Counts without buckets by value, which sums answer.
  counted.map((m): PlainJson => ({ m })),
  flags.map((f): PlainJson => ({ f })),
  daily.map((d): PlainJson => ({ d })),
  tags.map((g): PlainJson => ({ g })),
  // Too many values, and two text fields at once: both are answered from the records.
  fc.constant<PlainJson>({ b: { terms: { field: 'data.serial' } } }),
  fc.constant<PlainJson>({ b: { terms: { field: 'data.state' }, aggs: { f: { terms: { field: 'data.on' } } } } }),
);
const moment = fc.oneof(
  fc.integer({ min: -2, max: days * 24 + 2 }).map((hours) => start + hours * 3600),
  fc.constantFrom(start - 3600, start + days * 24 * 3600),
);
const query = fc.constantFrom<PlainJson>(
  { match_all: {} },
  { term: { 'data.state': 'ok' } },
  { bool: { must_not: [{ term: { 'data.state': 'error' } }] } },
  { bool: { should: [{ wildcard: { 'data.state': '*r*' } }, { term: { 'device.tags': 'red' } }] } },
  { term: { 'device.serial': 'a2' } },
  { term: { 'data.on': true } },
);

describe('search over counts by value', () => {
  it('returns the same answers as from records, with late data and without a deleted device', async () => {
    const { first, second } = world.productIds;
    const products = fc.constantFrom<PlainJson[]>([], [first!], [second!], [first!, second!]);
    const range = fc.oneof(
      fc.constant({ gte: start, lte: start + days * 24 * 3600 }),
      fc.tuple(moment, moment).map(([a, b]) => ({ gte: Math.min(a, b), lte: Math.max(a, b) })),
    );
    await fc.assert(
      fc.asyncProperty(aggs, query, products, range, async (aggregations, filter, named, within) => {
        const body = { products: named, query: filter, size: 0, aggs: aggregations };
        const [got, wanted] = [await ask(true, body, within), await ask(false, body, within)];
        expectClose(aggregationsOf(got), aggregationsOf(wanted));
        expect('hits' in got && got.hits).toEqual('hits' in wanted && wanted.hits);
      }),
      { numRuns: 60 },
    );
  }, 240_000);

  it('reads counts for a variable with few values, and records when it has many or a day is stale', async () => {
    const { pool, organizationId, productIds } = world;
    const range = { gte: start, lte: start + days * 24 * 3600 };
    const states = async (rollups: boolean, product: string, field = 'data.state') => {
      const body = { products: [productIds[product]!], size: 0, aggs: { b: { terms: { field, size: 1 } } } };
      const { b } = aggregationsOf(await ask(rollups, body, range)) as { b: { buckets: { doc_count: number }[] } };
      return b.buckets[0]!.doc_count;
    };
    const before = await Promise.all(['first', 'second'].map((product) => states(false, product)));
    const counts = async (table: string) =>
      pool.query(`update ${table} set n = n + 1000 where organization_id = $1`, [organizationId]);
    await counts('record_value_total');
    expect(await states(true, 'first')).toBeGreaterThan(before[0]! + 1000);
    // Totals of a product cannot be used when the application has only a part of its devices.
    expect(await states(true, 'second')).toBe(before[1]);
    await counts('record_value');
    expect(await states(true, 'second')).toBeGreaterThan(before[1]! + 1000);
    expect(await states(false, 'first')).toBe(before[0]);
    expect(await states(true, 'first', 'data.serial')).toBe(1);
    const { rows } = await pool.query(sql`
      select from record_dirty where organization_id = ${organizationId} and product_id = ${productIds['first']!}`);
    expect(rows.length).toBeGreaterThan(0);
    await pool.query(sql`delete from record_value_total where organization_id = ${organizationId}`);
    const outOfDate = await states(true, 'first');
    expect(outOfDate).toBeGreaterThan(0);
    expect(outOfDate).toBeLessThan(before[0]!);
  });
});
