import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { daySeconds } from '#common/time.js';
import { createPool } from '#database/pools.js';
import { VariableType } from '#entities/enums.js';
import { newId } from '#entities/id.js';
import { setRetention } from '#operator/retention.js';
import type { PlainObject } from '#records/item.js';
import { createRecordStore, type RecordStore } from '#records/postgres/log/store.js';
import { createLatest } from '#records/postgres/search/latest-record.js';
import { purgeDevices, purgeKeys } from '#records/postgres/upkeep/purge.js';
import { retire } from '#records/postgres/upkeep/retention.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import { rollUpDays } from '#records/postgres/upkeep/rollup-day.js';
import { summarize } from '#records/postgres/upkeep/summary.js';
import { useDatabase } from '../support/database.js';
import { setRollupRule } from '../support/rollup-rule.js';
import { buildFleet, type Fleet } from './fleet.js';

const database = useDatabase();

const noon = Math.floor(Date.now() / 3600e3) * 3600;
/** Noon (UTC) of the day that contains `noon`. */
const midday = Math.floor(noon / daySeconds) * daySeconds + daySeconds / 2;
let pool: Pool;
let store: RecordStore;

const variables = [
  { name: 't', type: VariableType.FLOAT32 },
  { name: 'on', type: VariableType.BOOL },
  { name: 'label', type: VariableType.TXT },
  { name: 'big', type: VariableType.INT64 },
];

beforeAll(async () => {
  pool = createPool(database.url);
  await setRollupRule(pool, 0, 0);
  store = createRecordStore({ pool, clock: () => noon * 1000, plans: [] });
});
afterAll(async () => {
  await store.close();
  await pool.end();
});

const put = ({ organizationId, deviceId }: Fleet, ...items: [ts: number, data: PlainObject][]) =>
  store.store({
    organizationId,
    items: items.map(([ts, data]) => ({ serials: [], deviceId, ts, data, metadata: {}, key: newId() })),
  });

let serials = 0;
const fleetOf = () => buildFleet(pool, `f${++serials}`, variables);
/** A time so late that every dirty hour and day is due. */
const later = new Date((noon + daySeconds) * 1000 + Date.now());
const rollUpAll = async () => {
  while ((await rollUp(pool, later)) > 0);
  while ((await rollUpDays(pool, later)) > 0);
  while ((await summarize(pool, later)) > 0);
};
const tables = {
  record: sql`record`,
  record_rollup: sql`record_rollup`,
  record_total: sql`record_total`,
  record_day: sql`record_day`,
  record_summary: sql`record_summary`,
};
/** Counts the rows of a fleet by its product: a fleet is one device of one product. */
const count = async ({ productId }: Fleet, table: keyof typeof tables): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(
    sql`select count(*)::int as n from ${tables[table]} where product_id = ${productId}`,
  );
  return rows[0]!.n;
};

describe('record rollups', () => {
  const difference = (fleet: Fleet) =>
    pool.query(sql`
      with truth as (
        select date_trunc('hour', ts) as hour, slot, count(*) as n, sum(v) as sum, min(v) as min, max(v) as max, sum(v * v) as sum_squares
        from record, lateral (select 0 as slot, null::float8 as v union all select 1, numbers[1] where numbers[1] is not null
          union all select 2, numbers[2] where numbers[2] is not null union all select -1, null where texts[1] is not null) value
        where device_id = ${fleet.deviceId} group by 1, 2
      )
      select * from truth full join record_rollup r using (hour, slot)
      where coalesce(device_id, ${fleet.deviceId}) = ${fleet.deviceId} and (truth.n is distinct from r.n or truth.min is distinct from r.min
        or truth.max is distinct from r.max or abs(truth.sum - r.sum) > 1e-12 * abs(truth.sum)
        or abs(truth.sum_squares - r.sum_squares) > 1e-12 * truth.sum_squares)`);

  it('equals the values computed from the records, with late and repeated data included', async () => {
    const fleet = await fleetOf();
    const values = Array.from({ length: 200 }, (_, index): [number, PlainObject] => [
      noon - index * 97,
      index % 3 === 0 ? { label: `l${index}` } : { t: Math.sin(index) * 1000, on: index % 2 === 0, other: 1 },
    ]);
    await put(fleet, ...values.slice(50));
    await rollUpAll();
    await put(fleet, ...values.slice(0, 50), [noon - 2 * 3600, { t: 5 }]);
    await rollUpAll();
    const { rows } = await difference(fleet);
    expect(rows).toEqual([]);
    expect(await count(fleet, 'record_rollup')).toBeGreaterThan(20);
  });

  it('stores values whose squares are too small for a double', async () => {
    const fleet = await fleetOf();
    await put(fleet, [noon - 1700, { t: 1e-200 }], [noon - 1600, { t: 2 }]);
    await rollUpAll();
    const { rows } = await pool.query(
      sql`select n::int, min, max, sum_squares from record_rollup where device_id = ${fleet.deviceId} and slot = 1`,
    );
    expect(rows).toEqual([{ n: 2, min: 1e-200, max: 2, sum_squares: 4 }]);
  });

  it('stores the first and the last value by time of measurement', async () => {
    const fleet = await fleetOf();
    await put(fleet, [noon - 1700, { t: 2 }], [noon - 1800, { t: 1 }], [noon - 1600, { t: 3 }]);
    await rollUpAll();
    const { rows } = await pool.query(sql`
      select first, last, extract(epoch from first_ts)::float8 as first_ts, extract(epoch from last_ts)::float8 as last_ts
      from record_rollup where device_id = ${fleet.deviceId} and slot = 1`);
    expect(rows).toEqual([{ first: 1, last: 3, first_ts: noon - 1800, last_ts: noon - 1600 }]);
  });

  it('combines the devices of a product, and drops deleted devices', async () => {
    const fleet = await fleetOf();
    const other = { ...fleet, deviceId: newId() };
    await pool.query(sql`
      insert into device (id, organization_id, serial, slug, product_id, created_at, updated_at)
      values (${other.deviceId}, ${fleet.organizationId}, 'other', 'other', ${fleet.productId}, now(), now())`);
    await put(fleet, [noon, { t: 1 }], [noon - 3600, { t: 2, on: true }]);
    await put(other, [noon, { t: 5 }]);
    const totals = async () => {
      await rollUpAll();
      const { rows } = await pool.query(sql`
        select slot, extract(epoch from hour)::float8 - ${noon} as hour, n::int, sum, min, max from record_total
        where organization_id = ${fleet.organizationId} and slot = 1 order by hour`);
      const sources = await pool.query<{ device_id: string }>(sql`
        select device_id from record_source where product_id = ${fleet.productId}`);
      return [rows, sources.rows.map(({ device_id }) => device_id).sort()];
    };
    const earlier = { slot: 1, hour: -3600, n: 1, sum: 2, min: 2, max: 2 };
    expect(await totals()).toEqual([
      [earlier, { slot: 1, hour: 0, n: 2, sum: 6, min: 1, max: 5 }],
      [fleet.deviceId, other.deviceId].sort(),
    ]);
    await pool.query(sql`delete from device where id = ${other.deviceId}`);
    while (await purgeDevices(pool, later));
    expect(await totals()).toEqual([[earlier, { slot: 1, hour: 0, n: 1, sum: 1, min: 1, max: 1 }], [fleet.deviceId]]);
  });

  it('combines the hours of a day, with late data included', async () => {
    const fleet = await fleetOf();
    const days = async () => {
      await rollUpAll();
      const { rows } = await pool.query(sql`
        select extract(epoch from day)::float8 - ${midday - daySeconds / 2} as day, slot, n::int, sum, min, max, sum_squares
        from record_day where device_id = ${fleet.deviceId} order by day, slot`);
      return rows;
    };
    const counted = { slot: 0, sum: null, min: null, max: null, sum_squares: null };
    await put(fleet, [midday, { t: 1 }], [midday - 3600, { t: 3 }], [midday - daySeconds, { t: 5 }]);
    const before = [
      { ...counted, day: -daySeconds, n: 1 },
      { day: -daySeconds, slot: 1, n: 1, sum: 5, min: 5, max: 5, sum_squares: 25 },
    ];
    expect(await days()).toEqual([
      ...before,
      { ...counted, day: 0, n: 2 },
      { day: 0, slot: 1, n: 2, sum: 4, min: 1, max: 3, sum_squares: 10 },
    ]);
    await put(fleet, [midday - 7200, { t: -2 }]);
    expect(await days()).toEqual([
      ...before,
      { ...counted, day: 0, n: 3 },
      { day: 0, slot: 1, n: 3, sum: 2, min: -2, max: 3, sum_squares: 14 },
    ]);
  });

  it('leaves out a day until it is over', async () => {
    const fleet = await fleetOf();
    await put(fleet, [midday, { t: 1 }]);
    while ((await rollUp(pool, later)) > 0);
    while ((await rollUpDays(pool, new Date((midday + daySeconds / 2) * 1000 - 1))) > 0);
    expect(await count(fleet, 'record_day')).toBe(0);
    await rollUpAll();
    expect(await count(fleet, 'record_day')).toBe(2);
  });

  it('makes a day with many records again after a longer pause than a small one', async () => {
    const fleet = await fleetOf();
    await put(fleet, [midday - 3 * daySeconds, { t: 1 }]);
    await rollUpAll();
    await pool.query(sql`update record_digest_total set n = 200000 where product_id = ${fleet.productId} and slot = 0`);
    await put(fleet, [midday - 3 * daySeconds + 60, { t: 2 }]);
    while ((await rollUp(pool, later)) > 0);
    const sums = async (seconds: number) => {
      const at = new Date(Date.now() + seconds * 1000);
      while ((await rollUpDays(pool, at)) > 0);
      while ((await summarize(pool, at)) > 0);
      const { rows } = await pool.query<{ byDay: number; digested: number }>(sql`
        select d.sum as "byDay", t.sum as digested from record_day d join record_digest_total t using (product_id, day, slot)
        where device_id = ${fleet.deviceId} and slot = 1`);
      return rows;
    };
    expect(await sums(300)).toEqual([{ byDay: 1, digested: 1 }]);
    expect(await sums(401)).toEqual([{ byDay: 3, digested: 3 }]);
  });

  it('leaves out an hour that still receives data', async () => {
    const fleet = await fleetOf();
    // The hour after the current one is not over before the test is, however late in the hour it runs.
    await put(fleet, [noon + 3660, { t: 1 }]);
    await rollUp(pool, new Date(Date.now() + 30_000));
    expect(await count(fleet, 'record_rollup')).toBe(0);
    await rollUp(pool, new Date(Date.now() + 61_000));
    expect(await count(fleet, 'record_rollup')).toBe(2);
  });
});

describe('latest values', () => {
  const rollupStates: [state: string, rolledUp: boolean, leastHour: number][] = [
    ['without rollups', false, 0],
    ['from rollups', true, 0],
    ['from rollups by day alone', true, 1000],
  ];
  const rollUpWith = async (leastHour: number) => {
    await setRollupRule(pool, leastHour, 0);
    await rollUpAll();
    await setRollupRule(pool, 0, 0);
  };
  const latest = async (fleet: Fleet) => {
    const values = (await createLatest(pool)([fleet.deviceId], () => undefined)).get(fleet.deviceId);
    return values?.map(({ name, ts, value }) => ({ name, ts, value }));
  };

  it('contains the newest measured value of each variable, not the last received', async () => {
    const fleet = await fleetOf();
    await put(fleet, [noon - 10, { t: 2, on: 1 }], [noon - 20, { t: 1, label: 'x', extra: [1] }]);
    await put(fleet, [noon - 30, { t: 3, big: '9007199254740993' }], [noon - 5, { t: 'warm' }]);
    expect(await latest(fleet)).toEqual([
      { name: 'big', ts: noon - 30, value: '9007199254740993' },
      { name: 'extra', ts: noon - 20, value: [1] },
      { name: 'label', ts: noon - 20, value: 'x' },
      { name: 'on', ts: noon - 10, value: true },
      { name: 't', ts: noon - 10, value: 2 },
    ]);
  });

  it.each(rollupStates)(
    'contains a variable that only older records have (%s)',
    async (_state, rolledUp, leastHour) => {
      const fleet = await fleetOf();
      await put(
        fleet,
        [noon - 5 * daySeconds, { label: 'older' }],
        [noon - 4 * daySeconds, { label: 'old', on: false }],
      );
      if (rolledUp) await rollUpWith(leastHour);
      await put(
        fleet,
        ...Array.from({ length: 50 }, (_, index): [number, PlainObject] => [noon - index * 60, { t: index }]),
      );
      expect(await latest(fleet)).toEqual([
        { name: 'label', ts: noon - 4 * daySeconds, value: 'old' },
        { name: 'on', ts: noon - 4 * daySeconds, value: false },
        { name: 't', ts: noon, value: 0 },
      ]);
    },
  );

  it.each(rollupStates)(
    'contains an array that is newer than a single value (%s)',
    async (_state, rolledUp, leastHour) => {
      const fleet = await fleetOf();
      await put(fleet, [noon - 4 * daySeconds, { t: [1, 2] }], [noon - 5 * daySeconds, { t: 5 }]);
      if (rolledUp) await rollUpWith(leastHour);
      await put(
        fleet,
        ...Array.from({ length: 20 }, (_, index): [number, PlainObject] => [noon - index, { on: true }]),
      );
      expect(await latest(fleet)).toEqual([
        { name: 'on', ts: noon, value: true },
        { name: 't', ts: noon - 4 * daySeconds, value: [1, 2] },
      ]);
    },
  );

  it.each(rollupStates)(
    "contains a value from the device's earlier product (%s)",
    async (_state, rolledUp, leastHour) => {
      const fleet = await fleetOf();
      const later = await fleetOf();
      await put(fleet, [noon - 4 * daySeconds, { t: 7, label: 'x' }]);
      if (rolledUp) await rollUpWith(leastHour);
      await pool.query('update device set product_id = $1 where id = $2', [later.productId, fleet.deviceId]);
      await put(
        fleet,
        ...Array.from({ length: 20 }, (_, index): [number, PlainObject] => [noon - index, { on: true }]),
      );
      expect(await latest(fleet)).toEqual([
        { name: 'label', ts: noon - 4 * daySeconds, value: 'x' },
        { name: 'on', ts: noon, value: true },
        { name: 't', ts: noon - 4 * daySeconds, value: 7 },
      ]);
    },
  );

  it('contains a variable of an hour without rollups by device before its day is rolled up', async () => {
    const fleet = await fleetOf();
    await put(fleet, [noon - 5 * daySeconds, { label: 'older' }], [noon - 4 * daySeconds, { label: 'old' }]);
    await setRollupRule(pool, 1000, 0);
    while ((await rollUp(pool, later)) > 0);
    await put(
      fleet,
      ...Array.from({ length: 20 }, (_, index): [number, PlainObject] => [noon - index * 60, { on: true }]),
    );
    expect(await latest(fleet)).toEqual([
      { name: 'label', ts: noon - 4 * daySeconds, value: 'old' },
      { name: 'on', ts: noon, value: true },
    ]);
    await setRollupRule(pool, 0, 0);
  });
});

describe('upkeep of devices that send little', () => {
  beforeAll(() => setRollupRule(pool, 12, 192));
  afterAll(() => setRollupRule(pool, 0, 0));

  const everyMinute = (count: number, t: number) =>
    Array.from({ length: count }, (_, index): [number, PlainObject] => [midday + index * 60, { t }]);

  it('makes rollups for the product by hour, and for the device by day', async () => {
    const fleet = await fleetOf();
    await put(fleet, [midday, { t: 1, label: 'x' }], [midday + 60, { t: 3 }], [midday - 3600, { t: 5 }]);
    await rollUpAll();
    expect(await count(fleet, 'record_rollup')).toBe(0);
    const { rows: hours } = await pool.query(sql`
      select extract(epoch from hour)::float8 - ${midday} as hour, slot, n::int, sum, apart from record_total
      where product_id = ${fleet.productId} order by hour, slot`);
    expect(hours).toEqual([
      { hour: -3600, slot: 0, n: 1, sum: null, apart: false },
      { hour: -3600, slot: 1, n: 1, sum: 5, apart: true },
      { hour: 0, slot: -1, n: 1, sum: null, apart: true },
      { hour: 0, slot: 0, n: 2, sum: null, apart: false },
      { hour: 0, slot: 1, n: 2, sum: 4, apart: true },
    ]);
    const { rows: days } = await pool.query(sql`
      select slot, n::int, sum, min, max from record_day where device_id = ${fleet.deviceId} order by slot`);
    expect(days).toEqual([
      { slot: -1, n: 1, sum: null, min: null, max: null },
      { slot: 0, n: 3, sum: null, min: null, max: null },
      { slot: 1, n: 3, sum: 9, min: 1, max: 5 },
    ]);
    const { rows: digests } = await pool.query(sql`
      select apart, (select count(*)::int from record_digest d where d.product_id = s.product_id) as "byDevice"
      from record_summary s where product_id = ${fleet.productId}`);
    expect(digests).toEqual([{ apart: false, byDevice: 0 }]);
  });

  it('makes rollups for the device by hour once the hour has more records', async () => {
    const fleet = await fleetOf();
    await put(fleet, ...everyMinute(11, 1));
    await rollUpAll();
    expect(await count(fleet, 'record_rollup')).toBe(0);
    await put(fleet, [midday + 900, { t: 2 }]);
    await rollUpAll();
    const rolled = await pool.query(sql`
      select n::int, sum from record_rollup where device_id = ${fleet.deviceId} and slot = 1`);
    expect(rolled.rows).toEqual([{ n: 12, sum: 13 }]);
    const { rows } = await pool.query(sql`
      select n::int, sum from record_day where device_id = ${fleet.deviceId} and slot = 1`);
    expect(rows).toEqual([{ n: 12, sum: 13 }]);
  });

  it('makes rollups for all devices of an hour in which one of them sends each minute', async () => {
    const fleet = await fleetOf();
    const others = Array.from({ length: 9 }, () => newId());
    await pool.query(sql`
      insert into device (id, organization_id, serial, slug, product_id, created_at, updated_at)
      select id, ${fleet.organizationId}, id::text, id::text, ${fleet.productId}, now(), now() from unnest(${others}::uuid[]) id`);
    for (const deviceId of others) await put({ ...fleet, deviceId }, [midday, { t: 1 }]);
    await put(fleet, ...everyMinute(59, 1));
    await rollUpAll();
    expect(await count(fleet, 'record_rollup')).toBe(0);
    await put(fleet, [midday + 3599, { t: 1 }]);
    await rollUpAll();
    expect(await count(fleet, 'record_rollup')).toBe(20);
  });

  it('removes the records that retention deletes', async () => {
    const fleet = await fleetOf();
    await put(fleet, [midday - 3600, { t: 1 }], [midday + 60, { t: 2 }], [midday + 1860, { t: 4 }]);
    await rollUpAll();
    await setRetention(pool, { organizationId: fleet.organizationId, productId: null }, 30 * daySeconds * 1000);
    await retire(pool, new Date((midday + 1800 + 30 * daySeconds) * 1000), () => false);
    await rollUpAll();
    const { rows } = await pool.query(sql`
      select (select sum(n)::int from record_total t where t.product_id = d.product_id and slot = 1) as total, n::int, sum
      from record_day d where device_id = ${fleet.deviceId} and slot = 1`);
    expect(rows).toEqual([{ total: 1, n: 1, sum: 4 }]);
  });
});

describe('retention', () => {
  it("deletes records past their age, where the product's setting wins over the organization's", async () => {
    const kept = await fleetOf();
    const short = await fleetOf();
    const own = await fleetOf();
    for (const fleet of [kept, short, own])
      await put(fleet, [noon - 100 * daySeconds, { t: 1 }], [noon - daySeconds, { t: 2 }]);
    await rollUpAll();
    await setRetention(pool, { organizationId: short.organizationId, productId: null }, 30 * daySeconds * 1000);
    await setRetention(pool, { organizationId: own.organizationId, productId: null }, 30 * daySeconds * 1000);
    await setRetention(pool, { organizationId: own.organizationId, productId: own.productId }, null);
    expect(await retire(pool, new Date(noon * 1000), () => false)).toMatchObject({ records: 1 });
    expect([await count(kept, 'record'), await count(short, 'record'), await count(own, 'record')]).toEqual([2, 1, 2]);
    for (const table of ['record_rollup', 'record_total', 'record_day'] as const)
      expect([await count(kept, table), await count(short, table)]).toEqual([4, 2]);
  });

  it('recomputes the rollup of a day that it cuts through', async () => {
    const fleet = await fleetOf();
    await put(fleet, [midday - 3600, { t: 1 }], [midday + 3600, { t: 2 }]);
    await rollUpAll();
    await setRetention(pool, { organizationId: fleet.organizationId, productId: null }, 30 * daySeconds * 1000);
    await retire(pool, new Date((midday + 30 * daySeconds) * 1000), () => false);
    expect(await count(fleet, 'record_day')).toBe(0);
    await rollUpAll();
    const { rows } = await pool.query(
      sql`select n::int, sum from record_day where device_id = ${fleet.deviceId} and slot = 1`,
    );
    expect(rows).toEqual([{ n: 1, sum: 2 }]);
  });

  it("recomputes the rollup of a day that it cuts through before the day's first record", async () => {
    const fleet = await fleetOf();
    await put(fleet, [midday + 3600, { t: 2, label: 'x' }]);
    await rollUpAll();
    await setRetention(pool, { organizationId: fleet.organizationId, productId: null }, 30 * daySeconds * 1000);
    await retire(pool, new Date((midday + 30 * daySeconds) * 1000), () => false);
    await rollUpAll();
    const { rows } = await pool.query(
      sql`select n::int, sum from record_day where device_id = ${fleet.deviceId} and slot = 1`,
    );
    expect(rows).toEqual([{ n: 1, sum: 2 }]);
    expect(await count(fleet, 'record_summary')).toBe(1);
    await retire(pool, new Date((midday + 32 * daySeconds) * 1000), () => false);
    await rollUpAll();
    expect([await count(fleet, 'record_day'), await count(fleet, 'record_summary')]).toEqual([0, 0]);
  });

  it('drops a partition in which nothing may remain', async () => {
    const fleet = await fleetOf();
    await put(fleet, [noon - 3000 * daySeconds, { t: 1 }]);
    await setRetention(pool, { organizationId: fleet.organizationId, productId: null }, 1000 * daySeconds * 1000);
    const { partitions } = await retire(pool, new Date(noon * 1000), () => false);
    expect(partitions).toBe(1);
    await put(fleet, [noon - 3000 * daySeconds, { t: 1 }]);
    expect(await count(fleet, 'record')).toBe(1);
  });
});

describe('cleanup', () => {
  it('deletes the records and rollups of a deleted device', async () => {
    const fleet = await fleetOf();
    await put(fleet, [noon, { t: 1 }], [noon - 3600, { t: 1 }]);
    await rollUpAll();
    await pool.query(sql`delete from device where id = ${fleet.deviceId}`);
    while (await purgeDevices(pool, later));
    for (const table of ['record', 'record_rollup', 'record_day'] as const) expect(await count(fleet, table)).toBe(0);
  });

  it('deletes record keys after 48 hours', async () => {
    const fleet = await fleetOf();
    await put(fleet, [noon, { t: 1 }]);
    const keys = async () =>
      (await pool.query(sql`select from record_key where device_id = ${fleet.deviceId}`)).rowCount;
    await purgeKeys(pool, new Date((noon + 2 * daySeconds) * 1000 - 1));
    expect(await keys()).toBe(1);
    await purgeKeys(pool, new Date((noon + 2 * daySeconds) * 1000));
    expect(await keys()).toBe(0);
  });
});
