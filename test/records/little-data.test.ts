import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { daySeconds, hourSeconds } from '#common/time.js';
import { fairQueueFor } from '#database/pool-queue.js';
import { createPool } from '#database/pools.js';
import { VariableType } from '#entities/enums.js';
import { SeriesFunction } from '#entities/series.js';
import type { PlainJson } from '#json/json.js';
import { countOrganization } from '#records/postgres/log/scan.js';
import { createLatest } from '#records/postgres/search/latest-record.js';
import { createSeries } from '#records/postgres/search/series/series.js';
import { createStates } from '#records/postgres/search/states/states.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import { aggregationsOf, askWith, expectClose, expectRanked, noise, purgeAll, rollUpAll } from '../search/rolled.js';
import { buildWorld, type World, worldNow } from '../search/world.js';
import { useDatabase } from '../support/database.js';
import { setRollupRule } from '../support/rollup-rule.js';

/*
 * Rollups by device exist in some hours and days and are left out in others. Every reader must answer as it does from
 * the records.
 */

const database = useDatabase();
let pool: Pool;

beforeAll(() => {
  pool = createPool(database.url, { pipeline: true });
});
afterAll(() => pool.end());

const days = 5;
const start = worldNow / 1000 - days * daySeconds;
const range = { gte: start, lte: worldNow / 1000 };
const serials = ['a1', 'a2', 'b1', 'b2', 'c1'];

/** A record in an hour that has many or few. `rare` is a variable that the newest records of a device lack. */
const recordOf = (index: number) => {
  const hour = Math.floor(noise(index + 0.1) ** 2 * days * 24);
  return {
    serial: serials[Math.floor(noise(index + 0.7) * (hour % 3 === 0 ? 2 : serials.length))]!,
    ts: start + hour * hourSeconds + Math.floor(noise(index) * hourSeconds * 1e3) / 1e3,
    data: {
      ...(index % 5 === 0 ? {} : { t: Math.floor(noise(index + 0.5) * 50) }),
      ...(index % 3 === 0 ? { on: index % 2 === 0 } : {}),
      ...(index % 4 === 0 ? { state: noise(index + 0.2) < 0.3 ? 'error' : 'ok' } : {}),
      ...(hour < 30 && index % 7 === 0 ? { rare: index } : {}),
    },
  };
};
const recordsFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => recordOf(first + at));

const variables = [
  { name: 't', type: VariableType.FLOAT32 },
  { name: 'on', type: VariableType.BOOL },
  { name: 'state', type: VariableType.TXT },
  { name: 'rare', type: VariableType.FLOAT32 },
];
const build = (): Promise<World> =>
  buildWorld(pool, {
    products: { first: variables, second: variables.toReversed() },
    devices: [
      { serial: 'a1', product: 'first' },
      { serial: 'a2', product: 'first' },
      { serial: 'b1', product: 'second' },
      // Only a part of this product's records belongs to the application.
      { serial: 'b2', product: 'second', linked: false },
      { serial: 'c1' },
    ],
    records: recordsFrom(0, 700),
  });

/** Stores records of the devices that are left. */
const storeLeft = async ({ store, organizationId }: World, records: ReturnType<typeof recordsFrom>): Promise<void> => {
  const { rows } = await pool.query<{ serial: string }>(
    sql`select serial from device where organization_id = ${organizationId}`,
  );
  const left = new Set(rows.map(({ serial }) => serial));
  await store(records.filter(({ serial }) => left.has(serial)));
};

/** Changes of a world. Two numbers choose what each changes. */
const changes = {
  late: (world: World, a: number, b: number) => storeLeft(world, recordsFrom(1000 + a * 100, 1 + (b % 60))),
  crowd: (world: World, a: number, b: number) =>
    storeLeft(
      world,
      recordsFrom(200_000 + a * 100, 70).map((record) => ({
        ...record,
        serial: serials[b % serials.length]!,
        ts: (record.ts % hourSeconds) + start + (a % 100) * hourSeconds,
      })),
    ),
  move: async (world: World, a: number) => {
    await pool.query(sql`
      update device set product_id = ${world.productIds[a % 2 === 0 ? 'first' : 'second']!}
      where organization_id = ${world.organizationId} and serial = ${serials[a % 4]!}`);
  },
  remove: async ({ organizationId }: World, a: number) => {
    await pool.query(sql`
      with gone as (select id from device where organization_id = ${organizationId} and serial = ${serials[a % 5]!}), unlinked as (
        delete from application_device where device_id in (select id from gone))
      delete from device where id in (select id from gone)`);
    await purgeAll(pool);
  },
  hours: async () => {
    while ((await rollUp(pool, new Date(Date.now() + 30 * daySeconds * 1000))) > 0);
  },
  all: () => rollUpAll(pool),
  rule: (_world: World, a: number, b: number) => setRollupRule(pool, [0, 3, 12, 1000][a % 4]!, [0, 12, 1000][b % 3]!),
};
const kinds = Object.keys(changes) as (keyof typeof changes)[];

const metrics = { s: { extended_stats: { field: 'data.t' } }, n: { value_count: { field: 'data.on' } } };
const questions: { [key: string]: PlainJson }[] = [
  { q: { terms: { field: 'device.id' }, aggs: metrics } },
  { q: { date_histogram: { field: 'ts', fixed_interval: '6h' }, aggs: metrics } },
  { q: { date_histogram: { field: 'ts', calendar_interval: '1d' }, aggs: { d: { terms: { field: 'device.id' } } } } },
  { q: { terms: { field: 'data.state' }, aggs: metrics } },
  { q: { terms: { field: 'device.id' }, aggs: { e: { filter: { term: { 'data.on': true } }, aggs: metrics } } } },
];

const expectSearches = async (world: World): Promise<void> => {
  const { first, second } = world.productIds;
  const { rows } = await pool.query<{ id: string }>(
    sql`select id from device where organization_id = ${world.organizationId} order by serial limit 2`,
  );
  const oneOf: PlainJson[] = [{ match_all: {} }, { terms: { 'device.id': rows.map(({ id }) => id) } }];
  const ask = async (rollups: boolean, body: { [key: string]: PlainJson }) =>
    aggregationsOf(await askWith(world, { rollups }, { size: 0, ...body }, range));
  const scopes = [[], [first!], [second!]].flatMap((products) => oneOf.map((query) => ({ products, query })));
  for (const [index, aggs] of questions.entries()) {
    for (const scope of [scopes[index % 6]!, scopes[(index + 3) % 6]!])
      expectClose(await ask(true, { ...scope, aggs }), await ask(false, { ...scope, aggs }));
  }
  const field = 'data.t';
  for (const scope of scopes.slice(3, 5)) {
    const { p } = (await ask(true, { ...scope, aggs: { p: { percentiles: { field } } } })) as {
      p: { values: Record<string, number | null> };
    };
    await expectRanked((aggs) => ask(false, { ...scope, aggs }), field, p.values);
  }
};

const expectLines = async ({ organizationId }: World, deviceIds: readonly string[]): Promise<void> => {
  const options = { pool, queue: fairQueueFor(pool), clock: () => worldNow, timeoutMs: 30_000 };
  const call = {
    organizationId,
    deviceIds,
    variables: variables.map(({ name }) => name),
    from: start + 1234,
    to: range.lte,
  };
  for (const fn of [SeriesFunction.avg, SeriesFunction.first, SeriesFunction.last, SeriesFunction.max]) {
    const [rolled, read] = [true, false].map((rollups) => createSeries({ ...options, rollups }));
    const points = { ...call, function: fn, points: 60 };
    expectClose(await rolled!(points), await read!(points));
  }
  const [rolled, read] = [true, false].map((rollups) => createStates({ ...options, rollups }));
  expect(await rolled!({ ...call, points: 60 })).toEqual(await read!({ ...call, points: 60 }));
};

const expectNewest = async (deviceIds: readonly string[]): Promise<void> => {
  const found = await createLatest(pool)(deviceIds, () => undefined);
  const { rows } = await pool.query<{ id: string; name: string; ts: number; value: unknown }>(sql`
    select distinct on (device_id, f.key) device_id as id, f.key as name, extract(epoch from ts)::float8 as ts, f.value
    from record, jsonb_each(data) f where device_id = any(${deviceIds}::uuid[]) order by device_id, f.key, ts desc, seq desc`);
  const truth = Map.groupBy(rows, ({ id }) => id);
  for (const id of deviceIds)
    expect(found.get(id)!.map(({ name, ts, value }) => ({ id, name, ts, value }))).toEqual(truth.get(id) ?? []);
};

const expectSameAnswers = async (world: World): Promise<void> => {
  const { organizationId } = world;
  await expectSearches(world);
  const { rows: devices } = await pool.query<{ id: string }>(
    sql`select id from device where organization_id = ${organizationId}`,
  );
  const deviceIds = devices.map(({ id }) => id);
  await expectLines(world, deviceIds);
  await expectNewest(deviceIds);
  const { rows } = await pool.query<{ n: number }>(
    sql`select count(*)::int as n from record where organization_id = ${organizationId}`,
  );
  expect(await countOrganization(pool, organizationId)).toBe(rows[0]!.n);
};

describe('readers of devices that send little', () => {
  it('returns the same answers as from the records, whichever hours and days have rollups by device', async () => {
    const step = fc.tuple(fc.constantFrom(...kinds), fc.nat(999), fc.nat(999));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
        await setRollupRule(pool, 3, 12);
        const world = await build();
        await rollUpAll(pool);
        for (const [kind, a, b] of steps) await changes[kind](world, a, b);
        await expectSameAnswers(world);
      }),
      {
        numRuns: 2,
        endOnFailure: true,
        examples: [
          [
            [
              ['crowd', 30, 0],
              ['late', 3, 20],
              ['hours', 0, 0],
              ['late', 4, 5],
            ],
          ],
        ],
      },
    );
  });
});
