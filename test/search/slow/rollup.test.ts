import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import { rollUpDays } from '#records/postgres/upkeep/rollup-day.js';
import { setRollupRule } from '../../support/rollup-rule.js';
import { aggregationsOf, askWith, expectClose, noise } from '../rolled.js';
import { useWorld, worldNow } from '../world.js';

const days = 6;
const start = worldNow / 1000 - days * 24 * 3600;
const serials = ['a1', 'a2', 'b1', 'b2'];
const recordOf = (index: number) => ({
  serial: serials[index % 4]!,
  ts: Math.round((start + noise(index) * days * 24 * 3600) * 1e6) / 1e6,
  data: {
    ...(index % 5 === 0 ? {} : { t: noise(index + 0.5) * 1e4 - 5e3 }),
    ...(index % 2 === 0 ? { on: index % 4 === 0 } : {}),
    ...(index % 7 === 0 ? { n: index } : {}),
    ...(index % 11 === 0 ? { t: 'broken' } : {}),
  },
});

const t = { name: 't', type: VariableType.FLOAT32 };
const on = { name: 'on', type: VariableType.BOOL };
const n = { name: 'n', type: VariableType.INT64 };
const world = useWorld({
  products: { first: [t, on, n], second: [n, on, t] },
  devices: [
    { serial: 'a1', product: 'first' },
    { serial: 'a2', product: 'first' },
    { serial: 'b1', product: 'second' },
    // Only a part of this product's records belongs to the application.
    { serial: 'b2', product: 'second', linked: false },
  ],
  records: Array.from({ length: 1500 }, (_, index) => recordOf(index)),
});

beforeAll(async () => {
  const later = new Date(Date.now() + 48 * 3600e3);
  // About half of the hours have no rollups by device.
  await setRollupRule(world.pool, 3, 12);
  while ((await rollUp(world.pool, later)) > 0);
  while ((await rollUpDays(world.pool, later)) > 0);
  // Stores late data, whose hours are rolled up again while their days stay stale.
  await world.store(Array.from({ length: 3 }, (_, index) => recordOf(4000 + index)));
  while ((await rollUp(world.pool, later)) > 0);
  // Stores late data, whose hours stay stale; for the first product only the current hours.
  const late = Array.from({ length: 20 }, (_, index) => recordOf(5000 + index));
  const underWay = { ts: worldNow / 1000 - 3600 };
  await world.store(late.map((record) => (record.serial.startsWith('a') ? { ...record, ...underWay } : record)));
});

const ask = (rollups: boolean, query: PlainJson, range: PlainJson) => askWith(world, { rollups }, query, range);

const metric = fc
  .tuple(
    fc.constantFrom('avg', 'sum', 'min', 'max', 'value_count', 'stats', 'extended_stats'),
    fc.constantFrom('data.t', 'data.on', 'data.n', 'data.nowhere'),
  )
  .map(([kind, field]): PlainJson => ({ [kind]: { field } }));
const metrics = fc
  .array(metric, { maxLength: 3 })
  .map((list) => Object.fromEntries(list.map((one, index) => [`m${index}`, one])));
const histogram = fc
  .tuple(
    fc.constantFrom<PlainJson>(
      { fixed_interval: '1h' },
      { fixed_interval: '6h' },
      { fixed_interval: '90m' },
      { calendar_interval: '1d' },
      { fixed_interval: '2d' },
      { calendar_interval: 'month' },
      { calendar_interval: '1d', time_zone: 'Europe/Berlin' },
      { calendar_interval: 'week', time_zone: 'Asia/Kolkata' },
      { fixed_interval: '1h', min_doc_count: 1 },
    ),
    metrics,
  )
  .map(([interval, aggs]): PlainJson => ({ date_histogram: { field: 'ts', ...(interval as object) }, aggs }));
const terms = fc
  .tuple(fc.constantFrom('device.id', 'device.serial', 'product.id'), metrics)
  .map(([field, aggs]): PlainJson => ({ terms: { field }, aggs }));
const summed: PlainJson = { sum_bucket: { buckets_path: 'hours>_count' } };
const aggs = fc
  .tuple(fc.option(histogram), fc.option(terms), metrics)
  .map(
    ([hours, devices, more]): PlainJson => ({ ...(hours && { hours, summed }), ...(devices && { devices }), ...more }),
  );
const moment = fc.oneof(
  fc.integer({ min: -2, max: days * 24 + 2 }).map((hours) => start + hours * 3600),
  fc.constantFrom(start - 3600, start + days * 24 * 3600),
  fc.integer({ min: 0, max: days * 24 * 3600e3 }).map((millis) => start + millis / 1000),
);
const query = fc.oneof(
  fc.constant<PlainJson>({ match_all: {} }),
  fc.tuple(moment, moment).map(
    ([a, b]): PlainJson => ({
      bool: { filter: [{ range: { ts: { gte: Math.min(a, b), lt: Math.max(a, b) } } }] },
    }),
  ),
  fc.constantFrom<PlainJson>(
    { bool: { must_not: [{ term: { 'device.serial': 'a2' } }] } },
    { prefix: { 'device.serial': 'a' } },
    { bool: { should: [{ term: { 'device.serial': 'b1' } }, { exists: { field: 'device.name' } }] } },
  ),
);

describe('random searches over rollups', () => {
  it('returns the same answers as from records', async () => {
    const { first, second } = world.productIds;
    const products = fc.constantFrom<PlainJson[]>([], [first!], [second!], [first!, second!]);
    const { rows: devices } = await world.pool.query<{ id: string }>(sql`
      select id from device where organization_id = ${world.organizationId}`);
    const device = fc.option(fc.constantFrom(...devices.map(({ id }): PlainJson => ({ term: { 'device.id': id } }))));
    await fc.assert(
      fc.asyncProperty(aggs, query, moment, moment, products, device, async (aggregations, time, a, b, named, one) => {
        const filter = one === null ? time : { bool: { filter: [time, one] } };
        const body = { products: named, query: filter, size: 0, aggs: aggregations };
        const range = { gte: Math.min(a, b), lte: Math.max(a, b) };
        const [got, wanted] = [await ask(true, body, range), await ask(false, body, range)];
        expectClose(aggregationsOf(got), aggregationsOf(wanted));
        expect('hits' in got && got.hits).toEqual('hits' in wanted && wanted.hits);
      }),
      { numRuns: 150 },
    );
  }, 180_000);
});
