import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { aggregationsOf, askWith, expectRanked, noise, rollUpAll } from './rolled.js';
import { useWorld, worldNow } from './world.js';

const days = 31;
const start = worldNow / 1000 - days * 24 * 3600;
const serials = ['a1', 'a2', 'b1', 'b2'];
const recordOf = (index: number) => ({
  serial: serials[index % 4]!,
  ts: Math.round((start + noise(index) * days * 24 * 3600) * 1e6) / 1e6,
  data: {
    // A skewed distribution: mostly near 1000, a few values far above.
    t: 1000 + noise(index + 0.5) ** 8 * 1e6,
    steps: Math.floor(noise(index + 0.3) * 7),
    label: `no. ${index % 2500}`,
    ...(index % 37 === 0 ? { rare: noise(index + 0.7) * 1e4 - 5e3 } : {}),
  },
});
const t = { name: 't', type: VariableType.FLOAT32 };
const steps = { name: 'steps', type: VariableType.INT16 };
const label = { name: 'label', type: VariableType.TXT };
const rare = { name: 'rare', type: VariableType.FLOAT32 };
const records = Array.from({ length: 9000 }, (_, index) => recordOf(index));
const world = useWorld({
  products: { first: [t, steps, label, rare], second: [rare, label, t, steps] },
  devices: serials.map((serial) => ({ serial, product: serial.startsWith('a') ? 'first' : 'second' })),
  records: records.slice(0, 6000),
});

const late = Array.from({ length: 60 }, (_, index) => recordOf(40_000 + index));

beforeAll(async () => {
  for (let from = 6000; from < records.length; from += 6000) await world.store(records.slice(from, from + 6000));
  await rollUpAll(world.pool);
  // Stores late data, and records that exist already. Upkeep then rebuilds the summaries of their days and weeks.
  await world.store([...late, ...records.slice(0, 20)]);
  await rollUpAll(world.pool);
  // Makes one day in a complete week stale.
  await world.store(Array.from({ length: 20 }, (_, index) => ({ ...recordOf(50_000 + index), ts: dirty + index })));
}, 240_000);

const whole = { gte: start, lte: start + days * 24 * 3600 };
const dirty = start + 9 * 24 * 3600;
const ask = async (rollups: boolean, body: { [key: string]: PlainJson }, range: PlainJson = whole): Promise<unknown> =>
  aggregationsOf(await askWith(world, { rollups }, { products: [], size: 0, ...body }, range));
const percents = [0, 1, 5, 25, 50, 75, 95, 99, 100];

/** Overwrites the weekly digests with one number and empties the weekly sketches, so that a read from weeks shows. */
const spoilWeeks = () =>
  world.pool.query(
    `update record_digest_week set digest = int4send(-1) || float8send(77) || int4send(n::int), sketch = int4send(0) where slot <> 0`,
  );
const metrics = {
  p: { percentiles: { field: 'data.steps', percents: [50] } },
  c: { cardinality: { field: 'data.label' } },
};
interface Metrics {
  p: { values: Record<string, number> };
  c: { value: number };
}

describe('aggregations over weekly digests and sketches', () => {
  it("returns the records' values within the documented error bounds", async () => {
    const { first, second } = world.productIds;
    const field = fc.constantFrom('data.t', 'data.steps', 'data.rare');
    const moment = fc.integer({ min: -2, max: days * 24 + 2 }).map((hours) => start + hours * 3600);
    const range = fc.oneof(
      fc.constant(whole),
      fc.tuple(moment, moment).map(([a, b]) => ({ gte: Math.min(a, b), lte: Math.max(a, b) })),
    );
    const products = fc.constantFrom<PlainJson[]>([], [first!], [second!]);
    await fc.assert(
      fc.asyncProperty(field, products, range, async (name, named, within) => {
        const c = { cardinality: { field: 'data.label' } };
        const u = { cardinality: { field: 'data.t' } };
        const p = { percentiles: { field: name, percents } };
        const answer = (rollups: boolean, aggs: PlainJson) => ask(rollups, { products: named, aggs }, within);
        const got = (await answer(true, { p, c, u })) as Metrics & { u: { value: number } };
        const exact = (await answer(false, { c, u })) as typeof got;
        expect(got.c.value).toBe(exact.c.value);
        const most = exact.u.value > 3000 ? 0.04 * exact.u.value : 0;
        expect(Math.abs(got.u.value - exact.u.value)).toBeLessThanOrEqual(most);
        await expectRanked((aggs) => answer(false, aggs), name, got.p.values);
      }),
      // Each case runs four searches: 15 cases took 18 s of the quick suite.
      { numRuns: process.env['FUZZ_CASES'] ? 15 : 3 },
    );
  }, 240_000);

  it('uses a week only when all of its days are current and the query does not split it', async () => {
    await rollUpAll(world.pool);
    const exact = (await ask(false, { aggs: metrics })) as Metrics;
    const daily = { aggs: { d: { date_histogram: { field: 'ts', calendar_interval: 'day' }, aggs: metrics } } };
    const byDay = await ask(true, daily);
    const inWeek = { gte: start + 24 * 3600, lte: start + 4 * 24 * 3600 };
    const short = await ask(true, { aggs: metrics }, inWeek);
    await spoilWeeks();
    const spoilt = (await ask(true, { aggs: metrics })) as Metrics;
    expect(spoilt.p.values['50.0']).toBe(77);
    expect(spoilt.c.value).toBeLessThanOrEqual(exact.c.value);
    expect(await ask(true, daily)).toEqual(byDay);
    expect(await ask(true, { aggs: metrics }, inWeek)).toEqual(short);
    // Simulates rollups by an earlier version, which has no summaries by week.
    await world.pool.query('update record_summary set in_week = false');
    expect(await ask(true, { aggs: metrics })).toEqual(exact);
    await rollUpAll(world.pool);
    expect(await ask(true, { aggs: metrics })).toEqual(exact);
  }, 120_000);

  it('reads the days of a week after a late record, until the week is made again', async () => {
    await rollUpAll(world.pool);
    await spoilWeeks();
    const mondays = Array.from({ length: 5 }, (_, index) => start + (5 + 7 * index) * 24 * 3600);
    // Stores a late record in each complete week.
    const more = mondays.flatMap((ts, index) =>
      serials.map((serial, of) => ({
        ...recordOf(60_000 + index),
        serial,
        ts: Math.min(ts, worldNow / 1000 - 3600) + of,
      })),
    );
    await world.store(more);
    const exact = await ask(false, { aggs: metrics });
    expect(await ask(true, { aggs: metrics })).toEqual(exact);
    await rollUpAll(world.pool);
    expect(await ask(true, { aggs: metrics })).toEqual(exact);
  }, 120_000);
});
