import { describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { PlainObject } from '#records/item.js';
import { rollUpDays } from '#records/postgres/upkeep/rollup-day.js';
import { summarize } from '#records/postgres/upkeep/summary.js';
import { setRollupRule } from '../../support/rollup-rule.js';
import { until } from '../../support/until.js';
import type { Fleet } from '../fleet.js';
import { type BlockWorld, later, midnight, same, someRecords, useBlockWorld } from './block-world.js';

let pool: Pool;
let world: BlockWorld;
useBlockWorld((...made) => {
  [pool, world] = made;
});

describe('replacement of rollups by blocks', () => {
  const daysOf = async ({ organizationId }: Fleet) =>
    (await pool.query(sql`select from record_day where organization_id = ${organizationId} and slot = 0`)).rowCount;
  const rolledUp = async (): Promise<Fleet> => {
    const fleet = await world.fleetOf();
    await world.put(fleet, ...someRecords(100));
    await world.rollUpAll();
    while ((await rollUpDays(pool, later)) > 0);
    expect(await daysOf(fleet)).toBe(1);
    return fleet;
  };
  /** Runs work while the maker waits until rollups are made. */
  const whileRollingUp = async (work: (made: Promise<unknown>, maker: number) => Promise<void>): Promise<Fleet> => {
    const fleet = await rolledUp();
    const upkeep = await pool.connect();
    await upkeep.query(`begin; select pg_advisory_xact_lock(hashtextextended('record rollups', 0))`);
    const made = world.makeOne(fleet).catch((error: Error) => error);
    let maker: number | undefined;
    await until(async () => {
      const { rows } = await pool.query<{ pid: number }>(
        `select pid from pg_locks where locktype = 'advisory' and not granted`,
      );
      maker = rows[0]?.pid;
      return maker !== undefined;
    });
    await work(made, maker!);
    await upkeep.query('commit');
    upkeep.release();
    await made;
    return fleet;
  };

  it('deletes the rollups after upkeep has made others', async () => {
    const fleet = await whileRollingUp(async () => undefined);
    expect([await world.compare(fleet), await daysOf(fleet)]).toEqual([[same(100)], 0]);
  });

  it('leaves the rollups if the maker is killed while it waits for upkeep', async () => {
    const fleet = await whileRollingUp(async (made, maker) => {
      await pool.query(sql`select pg_terminate_backend(${maker}::int)`);
      expect(await made).toBeInstanceOf(Error);
    });
    expect([await world.compare(fleet), await daysOf(fleet)]).toEqual([[], 1]);
    await world.make();
    expect([await world.compare(fleet), await daysOf(fleet)]).toEqual([[same(100)], 0]);
  });

  it('deletes what an upgraded database kept by hour, value and digest, once it may be left out', async () => {
    await setRollupRule(pool, 0, 0);
    const fleet = await world.fleetOf();
    await world.put(
      fleet,
      ...Array.from({ length: 20 }, (_, n): [number, PlainObject] => [n * 720, { t: n, on: n % 2 === 0 }]),
    );
    await world.rollUpAll();
    for (const step of [rollUpDays, summarize]) while ((await step(pool, later)) > 0);
    const kept = () =>
      Promise.all(
        ['record_rollup', 'record_value', 'record_digest'].map(async (table) => {
          const { rows } = await pool.query<{ n: number }>(
            `select count(*)::int as n from ${table} where organization_id = $1`,
            [fleet.organizationId],
          );
          return rows[0]!.n > 0;
        }),
      );
    expect(await kept()).toEqual([true, true, true]);
    await pool.query('delete from record_rollup_rule');
    await world.make();
    expect([await world.compare(fleet), await kept()]).toEqual([[same(20)], [false, false, false]]);
    const { rows } = await pool.query(sql`
      select distinct apart from record_total where organization_id = ${fleet.organizationId} and slot = 0`);
    expect(rows).toEqual([{ apart: false }]);
  });

  it('leaves the rollups of devices that send much', async () => {
    const fleet = await world.fleetOf();
    await world.put(fleet, ...someRecords(250));
    await world.rollUpAll();
    while ((await rollUpDays(pool, later)) > 0);
    await world.make();
    expect([await world.compare(fleet), await daysOf(fleet)]).toEqual([[same(250)], 1]);
  });

  it('ends once the devices send much', async () => {
    const fleet = await rolledUp();
    await world.make();
    expect(await daysOf(fleet)).toBe(0);
    await world.put(fleet, ...someRecords(200, 7000));
    await world.makeAgain();
    while ((await rollUpDays(pool, later)) > 0);
    expect([await world.compare(fleet), await daysOf(fleet)]).toEqual([[same(300)], 1]);
  });

  it('ends when the day cannot be in blocks', async () => {
    const fleet = await rolledUp();
    await world.make();
    await pool.query(sql`
      update record set numbers = array_fill(null::float8, array[19999]) || 1.0::float8
      where organization_id = ${fleet.organizationId} and ts = to_timestamp(${midnight + 60})`);
    await world.put(fleet, [90, { t: 5 }]);
    await world.makeAgain();
    while ((await rollUpDays(pool, later)) > 0);
    expect([await world.compare(fleet), await daysOf(fleet)]).toEqual([[], 1]);
    await pool.query(sql`update record set numbers = null where organization_id = ${fleet.organizationId}`);
  });
});
