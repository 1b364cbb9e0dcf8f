import { describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import sql, { raw, type Sql } from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import { setRetention } from '#operator/retention.js';
import type { PlainObject } from '#records/item.js';
import { rollUpAloneDays, thawDueDays } from '#records/postgres/blocks/alone-work.js';
import { findAloneDays } from '#records/postgres/blocks/thaw-day.js';
import { redecode } from '#records/postgres/log/redecode.js';
import { keepRows } from '#records/postgres/upkeep/alone-day.js';
import { shrinkPartitions } from '#records/postgres/upkeep/partition.js';
import { purgeDevices } from '#records/postgres/upkeep/purge.js';
import { retire } from '#records/postgres/upkeep/retention.js';
import type { Fleet } from '../fleet.js';
import { type BlockWorld, daySeconds, later, midnight, same, someRecords, useBlockWorld } from './block-world.js';

let pool: Pool;
let world: BlockWorld;
useBlockWorld((...made) => {
  [pool, world] = made;
});

/** Returns the rows of an organization, to the byte. */
const rowsOf = async ({ organizationId }: Fleet): Promise<string[]> => {
  const { rows } = await pool.query<{ row: string }>(
    sql`select r::text as row from record r where organization_id = ${organizationId} order by ts, seq`,
  );
  return rows.map(({ row }) => row);
};

const rollupTables = ['rollup', 'total', 'day', 'value', 'value_total', 'digest', 'digest_total', 'summary', 'source'];

/** Returns all rollups of an organization, without the identifiers of the fleet, in any order. */
const rollupsOf = async ({ organizationId, productId, deviceId }: Fleet): Promise<string[]> => {
  const read = (table: Sql): Sql =>
    sql`select t::text as row from ${table} t where organization_id = ${organizationId}`;
  const all: string[] = [];
  for (const name of rollupTables) {
    const { rows } = await pool.query<{ row: string }>(sql`${read(raw(`record_${name}`))} order by 1`);
    all.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  const names = { [organizationId]: 'organization', [productId]: 'product', [deviceId]: 'device' };
  // The order of records changes the last digits of sums.
  return all
    .map((row) => Object.entries(names).reduce((text, [id, name]) => text.replaceAll(id, name), row))
    .map((row) => row.replaceAll(/\d+\.\d+/g, (number) => `${Number(Number(number).toPrecision(10))}`))
    .sort();
};

const aloneDays = async ({ organizationId: organization_id, productId: product_id }: Fleet): Promise<number[]> =>
  (await findAloneDays(pool, { organization_id, product_id }, { from: -Infinity, to: Infinity })).map(({ n }) => n);

/** Creates a fleet whose records are in blocks alone. */
const frozenFleet = async (count = 300): Promise<Fleet> => {
  const fleet = await world.fleetOf();
  await world.put(fleet, ...someRecords(count), ...someRecords(count, -daySeconds));
  await world.maintain();
  expect(await world.freeze(fleet)).toBe(2);
  return fleet;
};

describe('day in blocks alone', () => {
  it('has no rows, and gets exactly those again', async () => {
    const fleet = await world.fleetOf();
    await world.put(fleet, ...someRecords(1000), [30, { n: -0, big: 1e308, text: 'é"\\', list: [1, 'a', null] }]);
    await world.maintain();
    const before = await rowsOf(fleet);
    expect(await world.freeze(fleet)).toBe(1);
    expect(await rowsOf(fleet)).toEqual([]);
    expect(await world.compare(fleet)).toEqual([same(1001)]);
    await world.thaw(fleet);
    expect(await rowsOf(fleet)).toEqual(before);
    expect(await world.compare(fleet)).toEqual([same(1001)]);
  });

  it('takes up late records, and has the rollups of a day with rows', async () => {
    const [frozen, usual] = [await frozenFleet(), await world.fleetOf()];
    await world.put(usual, ...someRecords(300), ...someRecords(300, -daySeconds));
    const late = [...someRecords(40, 90), ...someRecords(3, 80_000)];
    await world.put(frozen, ...late);
    await world.put(usual, ...late);
    expect(await world.compare(frozen)).toEqual([same(300), { outcome: 'stale' }]);
    await world.maintain();
    expect(await rowsOf(frozen)).toEqual([]);
    expect(await aloneDays(frozen)).toEqual([300, 343]);
    expect(await world.compare(frozen)).toEqual([same(300), same(343)]);
    expect(await rollupsOf(frozen)).toEqual(await rollupsOf(usual));
  });

  it('keeps a record that arrives while late ones are merged', async () => {
    const fleet = await frozenFleet();
    await world.put(fleet, [90, { t: 1 }]);
    await world.rollUpAll();
    await rollUpAloneDays(pool, later);
    await world.whileLocked(async (release) => {
      const making = world.make();
      await world.waitingMaker();
      await world.put(fleet, [95, { t: 2 }]);
      await release();
      await making;
    });
    await world.maintain();
    await world.maintain();
    expect(await aloneDays(fleet)).toEqual([300, 302]);
    await world.thaw(fleet);
    expect(await rowsOf(fleet)).toHaveLength(602);
  });

  it('gets runs that end at other midnights without its rows', async () => {
    const fleet = await frozenFleet();
    await pool.query(sql`update account set time_zone = '-01:00' where id = ${fleet.organizationId}`);
    await world.make();
    const { rows } = await pool.query(sql`
      select counts from record_block join record_block_source using (source) where organization_id = ${fleet.organizationId}`);
    expect(rows).toEqual([{ counts: [60, 240] }, { counts: [60, 240] }]);
    expect(await rowsOf(fleet)).toEqual([]);
    expect(await aloneDays(fleet)).toEqual([300, 300]);
  });

  it('loses the records of a deleted device, also from its rollups', async () => {
    const fleet = await world.fleetOf();
    const { organizationId, productId } = fleet;
    const other = { ...fleet, deviceId: '01900000-0000-7000-8000-00000000cafe' };
    await pool.query(sql`
      insert into device (id, organization_id, serial, slug, product_id, created_at, updated_at)
      values (${other.deviceId}, ${organizationId}, 'other', 'other', ${productId}, now(), now())`);
    await world.put(fleet, ...someRecords(100));
    await world.maintain();
    const alone = await rollupsOf(fleet);
    await world.put(other, ...someRecords(50, 10));
    await world.maintain();
    expect(await world.freeze(fleet)).toBe(1);
    await pool.query(sql`delete from device where id = ${other.deviceId}`);
    const another = await world.fleetOf();
    await world.put(another, ...someRecords(5));
    await pool.query(sql`delete from device where id = ${another.deviceId}`);
    while (await purgeDevices(pool, later));
    expect(await rowsOf(another)).toEqual([]);
    const { rows: waiting } = await pool.query(sql`select device_id from record_sweep`);
    expect(waiting).toEqual([{ device_id: other.deviceId }]);
    await world.maintain();
    while (await purgeDevices(pool, later));
    expect(await aloneDays(fleet)).toEqual([100]);
    expect(await world.compare(fleet)).toEqual([same(100)]);
    expect(await rollupsOf(fleet)).toEqual(alone);
    const { rows } = await pool.query(sql`select from record_sweep`);
    expect(rows).toEqual([]);
  });

  it('keeps its rows while a deleted device has records of the product', async () => {
    const fleet = await world.fleetOf();
    await world.put(fleet, ...someRecords(10));
    await world.maintain();
    await pool.query(sql`delete from device where id = ${fleet.deviceId}`);
    expect(await world.freeze(fleet)).toBe(0);
    while (await purgeDevices(pool, later));
    expect(await rowsOf(fleet)).toEqual([]);
  });

  it('ends with its retention, and gets rows again before a part of them ends', async () => {
    const fleet = await frozenFleet();
    const horizon = (midnight + 3600) * 1000;
    const now = new Date(horizon + 20 * daySeconds * 1000);
    await setRetention(pool, { organizationId: fleet.organizationId, productId: null }, 20 * daySeconds * 1000);
    await retire(pool, now, () => false);
    await thawDueDays(pool, now, 'alone');
    await retire(pool, now, () => false);
    expect(await aloneDays(fleet)).toEqual([]);
    expect(await rowsOf(fleet)).toHaveLength(240);
  });

  it('gets rows again when its records are decoded again', async () => {
    const fleet = await frozenFleet();
    const job = {
      organizationId: fleet.organizationId,
      input: { productId: fleet.productId, from: null, to: null, dryRun: false },
    };
    let [cursor, done, total]: [unknown, number, number | undefined] = [null, 0, undefined];
    for (let finished = false; !finished; ) {
      const step = await transaction(pool, (tx) => redecode(tx, { ...job, cursor } as never));
      [cursor, done, finished] = [step.cursor, done + step.done, step.finished];
      total ??= step.total;
    }
    expect({ done, total }).toEqual({ done: 600, total: 600 });
    expect(await aloneDays(fleet)).toEqual([]);
    expect(await rowsOf(fleet)).toHaveLength(600);
  });

  it('frees the space of its rows and of their indexes', async () => {
    const fleet = await world.fleetOf();
    await world.put(
      fleet,
      ...Array.from({ length: 20_000 }, (_, index): [number, PlainObject] => [-80 * daySeconds + index, { t: index }]),
    );
    await world.maintain();
    const size = async () => {
      const { rows } = await pool.query<{ bytes: number }>(sql`
        select sum(pg_total_relation_size(inhrelid))::float8 as bytes from pg_inherits where inhparent = 'record'::regclass`);
      return rows[0]!.bytes;
    };
    const before = await size();
    expect(await world.freeze(fleet)).toBe(1);
    await pool.query('vacuum record');
    await shrinkPartitions(pool);
    expect(before - (await size())).toBeGreaterThan(20_000 * 300);
    await world.thaw(fleet);
    expect(await rowsOf(fleet)).toHaveLength(20_000);
  });

  it('keeps its rows for whoever needs them', async () => {
    const fleet = await world.fleetOf();
    await world.put(fleet, ...someRecords(10));
    await world.maintain();
    await transaction(pool, async (tx) => {
      await keepRows(tx);
      expect(await world.freeze(fleet)).toBe(0);
    });
    expect(await world.freeze(fleet)).toBe(1);
  });

  it('keeps its rows while its blocks differ from them', async () => {
    const fleet = await world.fleetOf();
    await world.put(fleet, ...someRecords(10));
    await world.maintain();
    await world.put(fleet, [90, { t: 1 }]);
    expect(await world.freeze(fleet)).toBe(0);
    await world.maintain();
    await pool.query(
      sql`delete from record where organization_id = ${fleet.organizationId} and ts = to_timestamp(${midnight + 90})`,
    );
    expect(await world.freeze(fleet)).toBe(0);
    expect(await rowsOf(fleet)).toHaveLength(10);
    await world.maintain();
    expect(await world.freeze(fleet)).toBe(1);
  });
});
