import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { daySeconds } from '#common/time.js';
import { createPool } from '#database/pools.js';
import { VariableType } from '#entities/enums.js';
import { newId } from '#entities/id.js';
import type { PlainObject } from '#records/item.js';
import { createRecordStore, type RecordStore } from '#records/postgres/log/store.js';
import { createLatest } from '#records/postgres/search/latest-record.js';
import { noteEarlier } from '#records/postgres/upkeep/newest-field.js';
import { purgeDevices } from '#records/postgres/upkeep/purge.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import { useDatabase } from '../support/database.js';
import { setRollupRule } from '../support/rollup-rule.js';
import { buildFleet, type Fleet } from './fleet.js';

const database = useDatabase();

const noon = Math.floor(Date.now() / 3600e3) * 3600;
let pool: Pool;
let store: RecordStore;

const variables = [
  { name: 't', type: VariableType.FLOAT32 },
  { name: 'label', type: VariableType.TXT },
];

beforeAll(() => {
  pool = createPool(database.url);
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
const rollUpAll = async () => {
  // So late that every hour is due.
  while ((await rollUp(pool, new Date((noon + daySeconds) * 1000 + Date.now()))) > 0);
};

describe('list of latest values with undeclared fields', () => {
  const states: [state: string, rolledUp: boolean, leastHour: number][] = [
    ['before its hour is rolled up', false, 0],
    ['after its hour is rolled up', true, 0],
    ['after its hour is rolled up for the product alone', true, 1000],
  ];
  /** Records of the last half hour, more than latest values read first. */
  const usual = Array.from({ length: 30 }, (_, index): [number, PlainObject] => [noon - index * 60, { t: index }]);
  const latest = async ({ deviceId }: Fleet) => {
    const values = (await createLatest(pool)([deviceId], () => undefined)).get(deviceId);
    return Object.fromEntries(
      values!.filter(({ name }) => name !== 't').map(({ name, ts, value }) => [name, [ts, value]]),
    );
  };

  it.each(states)('contains a field that only an older record has (%s)', async (_state, rolledUp, leastHour) => {
    await setRollupRule(pool, leastHour, 0);
    const fleet = await fleetOf();
    await put(fleet, [noon - 3000, { battery: 80, position: { lat: 1 } }], [noon - 2900, { battery: null, t: 1 }]);
    await put(fleet, ...usual);
    if (rolledUp) await rollUpAll();
    expect(await latest(fleet)).toEqual({ battery: [noon - 3000, 80], position: [noon - 3000, { lat: 1 }] });
  });

  it.each(states)('contains an older field of a device without a product (%s)', async (_state, rolledUp, leastHour) => {
    await setRollupRule(pool, leastHour, 0);
    const fleet = await fleetOf();
    await pool.query('update device set product_id = null where id = $1', [fleet.deviceId]);
    await put(fleet, [noon - 4 * daySeconds, { battery: 80 }], ...usual);
    if (rolledUp) await rollUpAll();
    expect(await latest(fleet)).toEqual({ battery: [noon - 4 * daySeconds, 80] });
  });

  it.each(states)('follows newer data, and not late data (%s)', async (_state, rolledUp, leastHour) => {
    await setRollupRule(pool, leastHour, 0);
    const fleet = await fleetOf();
    await put(fleet, [noon - 4 * daySeconds, { battery: 80 }], ...usual);
    await rollUpAll();
    await put(fleet, [noon - 5 * daySeconds, { battery: 90 }]);
    if (rolledUp) await rollUpAll();
    expect(await latest(fleet)).toEqual({ battery: [noon - 4 * daySeconds, 80] });
    await put(fleet, [noon - 3 * daySeconds, { battery: 70 }]);
    if (rolledUp) await rollUpAll();
    expect(await latest(fleet)).toEqual({ battery: [noon - 3 * daySeconds, 70] });
  });

  it.each(states)('follows what comes after a record that was ahead (%s)', async (_state, rolledUp, leastHour) => {
    await setRollupRule(pool, leastHour, 0);
    const fleet = await fleetOf();
    await put(fleet, [noon + 20 * 3600, { battery: 10, ahead: 1 }]);
    if (rolledUp) await rollUpAll();
    const soon = Date.now() / 1000 + 5;
    const later = Array.from({ length: 30 }, (_, index): [number, PlainObject] => [soon - index / 10, { t: index }]);
    await put(fleet, [soon - 4, { battery: 90 }], ...later);
    if (rolledUp) await rollUpAll();
    expect(await latest(fleet)).toMatchObject({
      battery: [expect.closeTo(soon - 4, 3), 90],
      ahead: [noon + 20 * 3600, 1],
    });
  });

  it.each(states)('returns to the record before when a record is deleted (%s)', async (_state, rolledUp, leastHour) => {
    await setRollupRule(pool, leastHour, 0);
    const fleet = await fleetOf();
    await put(
      fleet,
      [noon - 5 * daySeconds, { battery: 90 }],
      [noon - 4 * daySeconds, { battery: 80, once: 1 }],
      ...usual,
    );
    await rollUpAll();
    await pool.query(sql`
      with gone as (delete from record where device_id = ${fleet.deviceId} and data ? 'once' returning *)
      insert into record_dirty (organization_id, product_id, hour)
      select organization_id, product_id, date_trunc('hour', ts) from gone`);
    if (rolledUp) await rollUpAll();
    expect(await latest(fleet)).toEqual({ battery: [noon - 5 * daySeconds, 90] });
    const { rows } = await pool.query(sql`select name from record_newest where device_id = ${fleet.deviceId}`);
    if (rolledUp) expect(rows).toEqual([{ name: 'battery' }]);
  });

  it('contains a field that the product declared before, or declares since', async () => {
    const fleet = await fleetOf();
    await put(
      fleet,
      [noon - 5 * daySeconds, { label: 'declared' }],
      [noon - 4 * daySeconds, { battery: 80 }],
      ...usual,
    );
    await rollUpAll();
    const declared = [
      { name: 't', type: VariableType.FLOAT32 },
      { name: 'battery', type: VariableType.UINT8 },
    ];
    await pool.query('update product set variables = $1 where id = $2', [JSON.stringify(declared), fleet.productId]);
    expect(await latest(fleet)).toEqual({
      label: [noon - 5 * daySeconds, 'declared'],
      battery: [noon - 4 * daySeconds, 80],
    });
  });

  it('keeps the 200 newest fields of a device until it is purged', async () => {
    const fleet = await fleetOf();
    const many = (from: number) =>
      Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`f${from + index}`, 1]));
    await put(fleet, [noon - 5 * daySeconds, many(0)], ...usual);
    await rollUpAll();
    await put(fleet, [noon - 4 * daySeconds, many(1000)]);
    await rollUpAll();
    const names = Object.keys(await latest(fleet));
    expect(names).toHaveLength(200);
    expect(names).toEqual(expect.arrayContaining(Object.keys(many(1000))));
    await pool.query(sql`delete from device where id = ${fleet.deviceId}`);
    while (await purgeDevices(pool, new Date(Date.now() + 3600e3)));
    expect((await pool.query(sql`select from record_newest where device_id = ${fleet.deviceId}`)).rows).toEqual([]);
  });

  it('contains fields of hours that an earlier version rolled up', async () => {
    const fleet = await fleetOf();
    await put(fleet, [noon - 4 * daySeconds, { battery: 80 }], ...usual);
    await rollUpAll();
    await pool.query(sql`delete from record_newest`);
    await pool.query(sql`insert into record_newest_due
      select organization_id, product_id, hour from record_total where slot = 0`);
    while ((await noteEarlier(pool)) > 0);
    expect(await latest(fleet)).toEqual({ battery: [noon - 4 * daySeconds, 80] });
  });
});

describe('list of latest values with a declared variable that 20 records lack', () => {
  it.each([false, true])('returns the value after that of a record ahead (rolled up: %s)', async (isRolledUp) => {
    const fleet = await fleetOf();
    const now = Date.now() / 1000;
    const others = Array.from({ length: 25 }, (_, index): [number, PlainObject] => [now - 60 + index, { t: index }]);
    await put(fleet, [now - 7200, { label: 'real' }], [now - 3600, { label: 'ahead' }], ...others);
    // The record arrived three hours ago, before the other.
    const early = Math.floor((now - 10_800) * 1000)
      .toString(16)
      .padStart(12, '0');
    await pool.query(sql`
      update record set id = (${`${early.slice(0, 8)}-${early.slice(8)}`} || substr(id::text, 14))::uuid
       where device_id = ${fleet.deviceId} and data ->> 'label' = 'ahead'`);
    if (isRolledUp) await rollUpAll();
    const values = (await createLatest(pool)([fleet.deviceId], () => undefined)).get(fleet.deviceId)!;
    expect(values.find(({ name }) => name === 'label')).toMatchObject({ value: 'real', ahead: null });
  });
});
