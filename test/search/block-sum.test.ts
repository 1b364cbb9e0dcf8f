import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import { drainBlocks, dropReplacing } from '#records/postgres/blocks/delete-blocks.js';
import { makeDay } from '#records/postgres/blocks/make-day.js';
import { findFinishedDays } from '#records/postgres/blocks/noted-day.js';
import { createLatest } from '#records/postgres/search/latest-record.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import { rollUpDays } from '#records/postgres/upkeep/rollup-day.js';
import { setRollupRule } from '../support/rollup-rule.js';
import { makeBlocks } from './blocks.js';
import { aggregationsOf, askWith, expectClose, noise, rollUpAll } from './rolled.js';
import { useWorld, worldNow } from './world.js';

const days = 8;
const start = worldNow / 1000 - days * 24 * 3600;
/** Number of records of each device. The last ones send less than twice a day: their values have no sums. */
const counts = { a1: 1000, a2: 60, a3: 300, b1: 240, b2: 90, c1: 50, d1: 9 };
let place = 0;
const records = Object.entries(counts).flatMap(([serial, count]) =>
  Array.from({ length: count }, () => {
    const index = ++place;
    return {
      serial,
      ts: Math.round((start + noise(index) * days * 24 * 3600) * 1e6) / 1e6,
      data: {
        ...(index % 6 === 0 ? {} : { t: Math.round(noise(index + 0.5) * 1e4 - 5e3) / 10 ** (index % 3) }),
        ...(index % 3 === 0 ? { third: noise(index) / 3 } : {}),
        ...(index % 2 === 0 ? { on: index % 4 === 0 } : {}),
        ...(index % 4 === 0 ? {} : { state: ['ok', 'error', 'ümlaut'][index % 3]! }),
        ...(index % 101 === 0 ? { rare: index } : {}),
        // Its texts all differ.
        serial: `no. ${index}`,
      },
    };
  }),
);
const variables = [
  { name: 't', type: VariableType.FLOAT32 },
  { name: 'third', type: VariableType.FLOAT32 },
  { name: 'on', type: VariableType.BOOL },
  { name: 'state', type: VariableType.TXT },
  { name: 'serial', type: VariableType.TXT },
  { name: 'rare', type: VariableType.UINT32 },
];
const world = useWorld({
  products: { first: variables, second: variables.toReversed(), third: variables },
  devices: [
    { serial: 'a1', product: 'first' },
    { serial: 'a2', product: 'first', tags: ['round'] },
    // Only a part of this product's records belongs to the application.
    { serial: 'a3', product: 'first', linked: false },
    { serial: 'b1', product: 'second' },
    { serial: 'b2', product: 'second', tags: ['round'] },
    { serial: 'c1' },
    { serial: 'd1', product: 'third' },
  ],
  records,
});

const late = (from: number) =>
  Array.from({ length: 3 }, (_, index) => ({
    serial: 'a1',
    ts: start + (from + index) * 3600,
    data: { t: index, state: 'late' },
  }));

let before: unknown;
const latest = async () => {
  const { rows } = await world.pool.query<{ id: string }>('select id from device order by serial');
  return [
    ...(
      await createLatest(world.pool)(
        rows.map(({ id }) => id),
        () => undefined,
      )
    ).values(),
  ];
};
const count = async (table: string): Promise<number> =>
  (await world.pool.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]!.n;

beforeAll(async () => {
  // The device has records of both products.
  await world.pool.query(sql`
    update device set product_id = ${world.productIds['second']!} where serial = 'a2'`);
  await world.store(
    records.filter(({ serial }) => serial === 'a2').map((record) => ({ ...record, ts: record.ts + 0.5 })),
  );
  await rollUpAll(world.pool);
  before = await latest();
  // Runs end at midnight of this zone.
  await world.pool.query(`update account set time_zone = 'America/Caracas'`);
  await makeBlocks(world.pool);
});

const ask = (blocks: boolean, query: PlainJson, range: PlainJson) =>
  askWith(world, { rollups: blocks, blocks }, query, range);
const whole = { gte: start, lte: worldNow / 1000 };

const field = fc.constantFrom('data.t', 'data.third', 'data.on');
const metric = fc.oneof(
  fc
    .tuple(fc.constantFrom('avg', 'sum', 'min', 'max', 'value_count', 'stats', 'extended_stats'), field)
    .map(([kind, of]): PlainJson => ({ [kind]: { field: of } })),
  fc.constantFrom('data.state', 'data.serial').map((of): PlainJson => ({ value_count: { field: of } })),
);
const metrics = fc
  .array(metric, { maxLength: 3 })
  .map((list): PlainJson => Object.fromEntries(list.map((one, index) => [`m${index}`, one])));
const buckets = fc.constantFrom<PlainJson>(
  { terms: { field: 'device.id', order: [{ _key: 'asc' }] } },
  { terms: { field: 'device.tags', missing: 'none' } },
  { filter: { exists: { field: 'device.tags' } } },
  { date_histogram: { field: 'ts', calendar_interval: '1d' } },
  { date_histogram: { field: 'ts', calendar_interval: 'week' } },
  { date_histogram: { field: 'ts', fixed_interval: '6h' } },
  { multi_terms: { terms: [{ field: 'product.id' }, { field: 'device.id' }] } },
  {
    composite: {
      size: 30,
      sources: [
        { device: { terms: { field: 'device.id' } } },
        { day: { date_histogram: { field: 'ts', calendar_interval: '1d' } } },
      ],
    },
  },
);
const measured = fc.tuple(buckets, metrics, metrics).map(([bucket, inner, outer]) => ({
  b: { ...(bucket as object), aggs: inner },
  ...(outer as object),
}));
const key = fc.constantFrom('data.state', 'data.on', 'data.serial');
/** Counts by device and value, which sums by state hold. */
const byValue = key.chain((of) =>
  fc.constantFrom<PlainJson>(
    { multi_terms: { terms: [{ field: 'device.id' }, { field: of }] } },
    { terms: { field: 'device.id', order: [{ _key: 'asc' }] }, aggs: { v: { terms: { field: of } } } },
    { terms: { field: 'device.id', order: [{ _key: 'asc' }] }, aggs: { v: { missing: { field: of } } } },
    { date_histogram: { field: 'ts', calendar_interval: '1d' }, aggs: { v: { value_count: { field: of } } } },
    { composite: { size: 30, sources: [{ d: { terms: { field: 'device.id' } } }, { v: { terms: { field: of } } }] } },
  ),
);
const aggs = fc.oneof(
  measured,
  byValue.map((b) => ({ b })),
);
const time = fc.integer({ min: 0, max: days * 24 * 60 }).map((minutes) => start + minutes * 60);
const range = fc.oneof(
  fc.constant(whole),
  fc.tuple(time, time).map((both) => ({ gte: Math.min(...both), lte: Math.max(...both) })),
);

const expectSame = (seed: number, runs = 10) =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom([], ['first'], ['second'], ['third'], ['first', 'second', 'third']),
      aggs,
      range,
      async (of, tree, within) => {
        const products = of.map((name) => world.productIds[name]!);
        const query = { products, size: 0, aggs: tree } as unknown as PlainJson;
        expectClose(aggregationsOf(await ask(true, query, within)), aggregationsOf(await ask(false, query, within)));
      },
    ),
    { numRuns: Number(process.env['DIFFERENTIAL_CASES'] ?? runs), seed },
  );

const counted = async (blocks: boolean): Promise<unknown> => {
  const by = (field: string) => ({ terms: { field: 'device.id' }, aggs: { v: { terms: { field } } } });
  const stats = { terms: { field: 'device.id' }, aggs: { t: { stats: { field: 'data.t' } } } };
  const products = [world.productIds['second']!];
  const answers = [stats, by('data.state'), by('data.on')].map(async (d) =>
    aggregationsOf(await ask(blocks, { products, size: 0, aggs: { d } }, whole)),
  );
  return Promise.all(answers);
};

describe('search by device over days in blocks', () => {
  it('returns the same answers as from rows', async () => {
    expect(await count('record_day')).toBe(0);
    await expectSame(53, 60);
  });

  it('reads the sums of blocks', async () => {
    const truth = await counted(false);
    await world.pool.query('create table kept as select * from record');
    const whole = sql`ts >= to_timestamp(${start + 24 * 3600}) and ts < to_timestamp(${start + 7 * 24 * 3600})`;
    await world.pool.query(sql`delete from record where ${whole}`);
    const [sums, rows] = [await counted(true), await counted(false)];
    await world.pool.query(sql`insert into record overriding system value select * from kept where ${whole}`);
    await world.pool.query('drop table kept');
    expectClose(sums, truth);
    expect(rows).not.toEqual(truth);
  });

  it('returns them before and after hours of late records are rolled up', async () => {
    await world.store(late(60));
    await expectSame(54);
    while ((await rollUp(world.pool, new Date(worldNow + 1e10))) > 0);
    await expectSame(55);
    await rollUpAll(world.pool);
    expect(await count('record_day')).toBe(0);
    await expectSame(56);
    await makeBlocks(world.pool);
    await expectSame(57);
  });
});

describe('search by device while records, rollups and blocks are written', () => {
  it('counts each record once', async () => {
    const { pool } = world;
    const soon = new Date(worldNow + 1e10);
    /** Repeats a step of upkeep that another one got ahead of. */
    const step = (work: () => Promise<unknown>) =>
      work().catch((error: { code?: string }) => {
        if (error.code !== '40001') throw error;
      });
    const make = async () => {
      for (const day of await findFinishedDays(pool, soon)) await makeDay(pool, day);
    };
    const byDevice = {
      d: { terms: { field: 'device.id', size: 50 }, aggs: { n: { value_count: { field: 'data.t' } } } },
    };
    const query = { products: Object.values(world.productIds), size: 0, aggs: byDevice };
    const total = async (blocks: boolean): Promise<number> => {
      const { d } = aggregationsOf(await ask(blocks, query, whole)) as { d: { buckets: { doc_count: number }[] } };
      return d.buckets.reduce((sum, bucket) => sum + bucket.doc_count, 0);
    };
    const bounded = async () => {
      const least = await total(false);
      const found = await total(true);
      const most = await total(false);
      expect(found).toBeGreaterThanOrEqual(least);
      expect(found).toBeLessThanOrEqual(most);
    };
    for (let round = 0; round < 12; round++)
      await Promise.all([
        world.store(late(round * 13)),
        step(() => rollUp(pool, soon)),
        step(() => rollUpDays(pool, soon)),
        step(make),
        ...(round % 4 === 3 ? [step(() => dropReplacing(pool))] : []),
        bounded(),
        bounded(),
      ]);
    expect(await count('record_blocked where not apart')).toBeGreaterThan(0);
    await rollUpAll(pool);
    await makeBlocks(pool);
  });
});

describe('list of latest values of days in blocks', () => {
  it('contains values however old they are', async () => {
    expect(await latest()).toEqual(before);
  });
});

describe('replacement of rollups by blocks', () => {
  it('ends when the blocks are deleted, and upkeep makes the rollups again', async () => {
    await drainBlocks(world.pool);
    expect(await count('record_blocked')).toBe(0);
    await expectSame(58);
    await rollUpAll(world.pool);
    expect(await count('record_day')).toBeGreaterThan(0);
    await expectSame(59);
    expect(await latest()).toEqual(before);
  });

  it('does not happen where a process of 0.3.0 may read the rollups', async () => {
    await setRollupRule(world.pool, 0, 0);
    await makeBlocks(world.pool);
    expect(await count('record_day')).toBeGreaterThan(0);
    expect(await dropReplacing(world.pool)).toBe(0);
    await expectSame(60);
  });

  it('ends while no process makes blocks', async () => {
    await world.pool.query('delete from record_rollup_rule');
    await world.store(late(90));
    await makeBlocks(world.pool);
    const missing = await count('record_blocked where not apart');
    expect(missing).toBeGreaterThan(0);
    expect(await dropReplacing(world.pool)).toBe(missing);
    await rollUpAll(world.pool);
    await expectSame(61);
  });
});
