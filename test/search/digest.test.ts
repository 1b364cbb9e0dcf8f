import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { Digest } from '#records/postgres/search/rollup/digest.js';
import { Pace, TimedOut } from '#search/pace.js';
import { aggregationsOf, askWith, expectClose, noise, rollUpAll } from './rolled.js';
import { useWorld, worldNow } from './world.js';

const days = 5;
const start = worldNow / 1000 - days * 24 * 3600;
const serials = ['a1', 'a2', 'b1', 'b2'];
const recordOf = (index: number) => ({
  serial: serials[index % 4]!,
  ts: Math.round((start + noise(index) * days * 24 * 3600) * 1e6) / 1e6,
  data: {
    // A skewed distribution: mostly near 1000, a few values far above.
    t: 1000 + noise(index + 0.5) ** 8 * 1e6,
    steps: Math.floor(noise(index + 0.3) * 7),
    ...(index % 37 === 0 ? { rare: noise(index + 0.7) * 1e4 - 5e3 } : {}),
  },
});
const fields = ['t', 'steps', 'rare'] as const;

const t = { name: 't', type: VariableType.FLOAT32 };
const steps = { name: 'steps', type: VariableType.INT16 };
const rare = { name: 'rare', type: VariableType.FLOAT32 };
const records = Array.from({ length: 6000 }, (_, index) => recordOf(index));
const late = Array.from({ length: 60 }, (_, index) => recordOf(7000 + index));
const world = useWorld({
  products: { first: [t, steps, rare], second: [rare, t, steps] },
  devices: [
    { serial: 'a1', product: 'first' },
    { serial: 'a2', product: 'first' },
    { serial: 'b1', product: 'second' },
    // Only a part of this product's records belongs to the application.
    { serial: 'b2', product: 'second', linked: false },
  ],
  records,
});

beforeAll(async () => {
  await rollUpAll(world.pool);
  // Stores late data: the days of the first half are rolled up again, those of the second half stay stale.
  await world.store(late.slice(0, 30));
  await rollUpAll(world.pool);
  await world.store(late.slice(30).map((record, index) => ({ ...record, ts: start + 40 * 3600 + index * 60 })));
});

const ask = (rollups: boolean, query: PlainJson, range: PlainJson) => askWith(world, { rollups }, query, range);
const whole = { gte: start, lte: start + days * 24 * 3600 };
type Percentiles = { p: { values: Record<string, number> } };

/**
 * Returns the longest time that `work` blocks the event loop, in milliseconds of CPU time, so that other processes do
 * not count.
 */
const longestHold = async (work: () => Promise<void>): Promise<number> => {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let [longest, last] = [0, used()];
  const look = () => {
    longest = Math.max(longest, used() - last);
    last = used();
  };
  const goOn = () => {
    look();
    next = setImmediate(goOn);
  };
  let next = setImmediate(goOn);
  await work().finally(() => clearImmediate(next));
  look();
  return longest;
};

describe('percentile digest of 600,000 numbers', () => {
  const count = 600_000;
  // Two devices take turns: one measures the same number each time, the other cycles through 100 numbers.
  const numbers = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? 5 : (index % 100) / 8));
  const sorted = Float64Array.from(numbers).sort();
  const bytes = Buffer.alloc(12 * count);
  numbers.forEach((value, index) => bytes.writeDoubleBE(value, bytes.writeInt32BE(1, 12 * index)));
  const paceFor = (milliseconds: number) =>
    new Pace({ deadline: performance.now() + milliseconds, organizationId: 'one' });

  it('blocks the event loop for less than 200 ms while it is read, even with many equal numbers', async () => {
    const percents = [0, 0.5, 19.5, 40, 60.5, 94.5, 100];
    const pace = paceFor(60_000);
    const held = await longestHold(async () => {
      const digest = await Digest.read(bytes, pace);
      const found = await pace.map(percents, (percent) => digest.percentile(percent));
      expect(found).toEqual(percents.map((percent) => sorted[Math.round((percent / 100) * (count - 1))]));
      expect(digest.rank(5)).toBeCloseTo((100 * sorted.findLastIndex((value) => value <= 5)) / (count - 1), 9);
      expect((await digest.deviations(pace)).percentile(20)).toBe(0);
    });
    // The limit leaves room for a garbage collection of the worker.
    expect(held).toBeLessThan(200);
  });

  it('throws TimedOut when its deadline passes while it is read', async () => {
    await expect((async () => Digest.read(bytes, paceFor(10)))()).rejects.toThrow(TimedOut);
  });
});

describe('percentile aggregations over digests', () => {
  it('returns exact values from the records when the digests exceed the memory limit', async () => {
    const query = { products: [], size: 0, aggs: { p: { percentiles: { field: 'data.t' } } } };
    const answered = async (options: { rollups: boolean; digestBytes?: number }) =>
      aggregationsOf(await askWith(world, options, query, whole));
    const exact = await answered({ rollups: false });
    expect(await answered({ rollups: true })).not.toEqual(exact);
    expect(await answered({ rollups: true, digestBytes: 1000 })).toEqual(exact);
  });

  it('returns percentiles and ranks within the documented error bound', async () => {
    const percents = [0, 0.1, 1, 5, 25, 50, 75, 95, 99, 99.9, 100];
    const numbers = (product: 'first' | 'second', field: (typeof fields)[number]) =>
      [...records, ...late]
        .filter(({ serial }) => (product === 'first' ? serial.startsWith('a') : serial === 'b1'))
        .flatMap(({ data }) => data[field] ?? [])
        .sort((a, b) => a - b);
    for (const product of ['first', 'second'] as const) {
      for (const field of fields) {
        const sorted = numbers(product, field);
        const products = [world.productIds[product]!];
        const values = [sorted[0]!, sorted[40]!, sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!];
        const aggs = {
          p: { percentiles: { field: `data.${field}`, percents } },
          r: { percentile_ranks: { field: `data.${field}`, values } },
        };
        const { p, r } = aggregationsOf(await ask(true, { products, size: 0, aggs }, whole)) as Percentiles & {
          r: Percentiles['p'];
        };
        const exact = aggregationsOf(await ask(false, { products, size: 0, aggs }, whole)) as typeof p & {
          r: typeof r;
        };
        for (const percent of percents) {
          const q = percent / 100;
          const slack = 0.02 * q * (1 - q) * sorted.length + 1;
          const place = q * (sorted.length - 1);
          const value = p.values[percent.toFixed(1)]!;
          expect(value).toBeGreaterThanOrEqual(sorted[Math.max(0, Math.floor(place - slack))]!);
          expect(value).toBeLessThanOrEqual(sorted[Math.min(sorted.length - 1, Math.ceil(place + slack))]!);
        }
        for (const [value, rank] of Object.entries(r.values)) {
          const truth = exact.r.values[value]!;
          const q = truth / 100;
          expect(Math.abs(rank - truth)).toBeLessThanOrEqual(2 * q * (1 - q) + 100 / sorted.length);
        }
      }
    }
  });

  it('returns the median absolute deviation within the documented error bound at the default compression', async () => {
    const products = [world.productIds['first']!];
    const deviation = async (rollups: boolean, compression?: number) => {
      const metric = { field: 'data.t', ...(compression !== undefined && { compression }) };
      const aggs = { p: { median_absolute_deviation: metric } };
      return (aggregationsOf(await ask(rollups, { products, size: 0, aggs }, whole)) as { p: { value: number } }).p
        .value;
    };
    const sorted = [...records, ...late]
      .filter(({ serial }) => serial.startsWith('a'))
      .map(({ data }) => data.t)
      .sort((a, b) => a - b);
    const at = (values: readonly number[], q: number) => values[Math.round(q * (values.length - 1))]!;
    const around = (center: number, q: number) =>
      at(
        sorted.map((value) => Math.abs(value - center)).sort((a, b) => a - b),
        q,
      );
    const [low, high] = [at(sorted, 0.494), at(sorted, 0.506)];
    const centers = [low, at(sorted, 0.5), high];
    const found = await deviation(true, 100);
    expect(found).toBeGreaterThanOrEqual(Math.min(...centers.map((center) => around(center, 0.489))));
    expect(found).toBeLessThanOrEqual(Math.max(...centers.map((center) => around(center, 0.511))));
    // The default compression is 1000.
    expect(await deviation(true)).toBeCloseTo(await deviation(false), 9);
    expect(found).not.toBe(await deviation(false));
  });

  it('returns the same values as from records when a day holds few numbers', async () => {
    const { first, second } = world.productIds;
    const percents = fc.constantFrom<PlainJson>({}, { percents: [0, 12.5, 50, 100] }, { keyed: false });
    const metric = fc
      .tuple(fc.constant('data.rare'), percents)
      .map(([field, options]): PlainJson => ({ percentiles: { field, ...(options as object) } }));
    const deviation = fc.constant<PlainJson>({ median_absolute_deviation: { field: 'data.rare', compression: 100 } });
    const ranks = fc
      .tuple(fc.constant('data.rare'), fc.array(fc.constantFrom(-9999, -3, 0, 2.5, 3, 6, 777), { minLength: 1 }))
      .map(([field, values]): PlainJson => ({ percentile_ranks: { field, values } }));
    const metrics = fc
      .tuple(fc.oneof(metric, ranks, deviation), fc.option(metric))
      .map(([m, n]): Record<string, PlainJson> => ({ m, a: { stats: { field: 'data.t' } }, ...(n && { n }) }));
    const aggs = fc.oneof(
      metrics,
      metrics.map((inner) => ({ d: { terms: { field: 'device.id' }, aggs: inner } })),
      metrics.map((inner) => ({ d: { date_histogram: { field: 'ts', calendar_interval: '1d' }, aggs: inner } })),
      metrics.map((inner) => ({ d: { filters: { filters: [{ prefix: { 'device.serial': 'a' } }] }, aggs: inner } })),
      metrics.map((inner) => ({
        d: {
          terms: { field: 'product.id', order: { 'm.50': 'asc' } },
          aggs: { ...inner, m: { percentiles: { field: 'data.rare' } } },
        },
      })),
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
        expectClose(aggregationsOf(got), aggregationsOf(wanted));
      }),
      { numRuns: 60 },
    );
  }, 240_000);

  it('uses digests up to compression 100, and the records for a higher compression or HDR', async () => {
    const { pool, organizationId, productIds } = world;
    const median = async (options: { [key: string]: PlainJson }, field = 'data.steps') => {
      const aggs = { p: { percentiles: { field, percents: [50], ...options } } };
      const { p } = aggregationsOf(
        await ask(true, { products: [productIds['first']!], size: 0, aggs }, whole),
      ) as Percentiles;
      return p.values['50.0']!;
    };
    const before = await median({});
    await pool.query(
      sql`update record_digest_total set digest = int4send(-1) || float8send(77) || int4send(n::int) where organization_id = ${organizationId} and slot > 0`,
    );
    expect(await median({})).toBe(77);
    expect(await median({ tdigest: { compression: 100 } })).toBe(77);
    expect(await median({ tdigest: { compression: 200 } })).toBe(before);
    expect(await median({ hdr: { number_of_significant_value_digits: 3 } })).toBe(before);
  });
});
