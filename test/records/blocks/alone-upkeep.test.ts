import { describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { setRetention } from '#operator/retention.js';
import { rollUpAloneDays, thawDueDays } from '#records/postgres/blocks/alone-work.js';
import { findDaysToFreeze } from '#records/postgres/blocks/freeze-day.js';
import { runBlockWork } from '#records/postgres/blocks/make-due-days.js';
import { findDueDays } from '#records/postgres/blocks/noted-day.js';
import { purgeDevices } from '#records/postgres/upkeep/purge.js';
import { retire } from '#records/postgres/upkeep/retention.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import { until } from '../../support/until.js';
import type { Fleet } from '../fleet.js';
import { type BlockWorld, daySeconds, later, midnight, same, someRecords, useBlockWorld } from './block-world.js';

let pool: Pool;
let world: BlockWorld;
useBlockWorld((...made) => {
  [pool, world] = made;
});

const countOf = async ({ organizationId }: Fleet): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(
    sql`select count(*)::int as n from record where organization_id = ${organizationId}`,
  );
  return rows[0]!.n;
};

/** Returns the number of records by the rollups of all devices together. */
const totalOf = async ({ organizationId }: Fleet): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(
    sql`select sum(n)::int as n from record_total where organization_id = ${organizationId} and slot = 0`,
  );
  return rows[0]!.n;
};

/** Creates a fleet of several devices. The first `counts[0]` records are of the first device, and so on. */
const fleetWith = async (...counts: number[]): Promise<Fleet[]> => {
  const first = await world.fleetOf();
  const fleets: Fleet[] = [];
  for (const [index, count] of counts.entries()) {
    const { rows } = await pool.query<{ id: string }>(sql`
      insert into device (id, organization_id, serial, slug, product_id, created_at, updated_at)
      values (gen_random_uuid(), ${first.organizationId}, ${`d${index}`}, ${`d${index}`}, ${first.productId}, now(), now())
      returning id`);
    const fleet = { ...first, deviceId: rows[0]!.id };
    fleets.push(fleet);
    if (count > 0) await world.put(fleet, ...someRecords(count, index));
  }
  await world.maintain();
  expect(await world.freeze(first)).toBe(1);
  return fleets;
};

const remove = ({ deviceId }: Fleet) => pool.query(sql`delete from device where id = ${deviceId}`);

const purgeAll = async () => {
  while (await purgeDevices(pool, later));
  await world.maintain();
  while (await purgeDevices(pool, later));
  const { rows } = await pool.query(sql`select from record_sweep`);
  expect(rows).toEqual([]);
};

const nobody = { onDay: () => undefined, onFault: () => undefined };

describe('upkeep of days in blocks alone', () => {
  it('makes rollups again without a device that is deleted before late records are merged', async () => {
    const [kept, other] = await fleetWith(20, 30);
    await world.put(kept!, [3600, { t: 1 }]);
    await rollUpAloneDays(pool, later);
    await remove(other!);
    await world.make();
    await purgeAll();
    expect(await world.compare(kept!)).toEqual([same(21)]);
    expect(await totalOf(kept!)).toBe(21);
  });

  it('merges no late records of a device that waits for its purge', async () => {
    const [kept, first, other] = await fleetWith(20, 5, 0);
    await world.put(other!, [70, { t: 1 }]);
    await rollUpAloneDays(pool, later);
    // Its purge takes the first turn.
    await world.put(first!, [-daySeconds, { t: 1 }]);
    await remove(first!);
    await remove(other!);
    await purgeDevices(pool, later);
    await rollUpAloneDays(pool, later);
    await world.make();
    await purgeAll();
    expect(await world.compare(kept!)).toEqual([same(20)]);
    expect(await totalOf(kept!)).toBe(20);
  });

  it('restores no rows of days that have expired as a whole', async () => {
    const fleet = await world.fleetOf();
    await world.put(fleet, ...someRecords(100), ...someRecords(100, -daySeconds));
    await world.maintain();
    expect(await world.freeze(fleet)).toBe(2);
    const now = new Date((midnight + 3600) * 1000 + 20 * daySeconds * 1000);
    await setRetention(pool, { organizationId: fleet.organizationId, productId: null }, 20 * daySeconds * 1000);
    await thawDueDays(pool, now, 'alone');
    expect(await countOf(fleet)).toBe(100);
    await retire(pool, now, () => false);
    expect(await countOf(fleet)).toBe(40);
  });

  it('keeps restored rows for a day', async () => {
    const [fleet] = await fleetWith(20);
    const source = sql`(select source from record_block_source where organization_id = ${fleet!.organizationId})`;
    await pool.query(sql`update record_blocked set made_at = made_at - interval '8 days' where source = ${source}`);
    await world.thaw(fleet!);
    const inDays = (days: number) => new Date(Date.now() + days * daySeconds * 1000);
    const owners = async (before: Date) =>
      (await findDaysToFreeze(pool, before)).map(({ organization_id }) => organization_id);
    expect(await owners(inDays(-7))).not.toContain(fleet!.organizationId);
    expect(await owners(inDays(-5))).toContain(fleet!.organizationId);
  });

  it('makes rollups by device of a day that late records have made worth them', async () => {
    const [fleet] = await fleetWith(20);
    await world.put(fleet!, ...someRecords(300, 30));
    await world.maintain();
    await world.maintain();
    const { rows } = await pool.query(
      sql`select from record_dirty_day where organization_id = ${fleet!.organizationId}`,
    );
    expect(rows).toEqual([]);
  });

  it('leaves late records in rows for as long as subscribers may resume', async () => {
    const [fleet] = await fleetWith(20);
    await world.put(fleet!, [70, { t: 1 }]);
    await rollUpAloneDays(pool, later);
    const due = async (minutes: number) =>
      (await findDueDays(pool, new Date(Date.now() + minutes * 60_000))).map(({ organization_id }) => organization_id);
    expect(await due(60)).not.toContain(fleet!.organizationId);
    expect(await due(75)).toContain(fleet!.organizationId);
  });

  it('restores the rows of a day whose blocks cannot be made again', async () => {
    const [fleet] = await fleetWith(20);
    await world.put(fleet!, [70, { t: 1 }]);
    await rollUpAloneDays(pool, later);
    await pool.query(
      sql`update record_dirty_block set fault = 'It differs.' where organization_id = ${fleet!.organizationId}`,
    );
    await thawDueDays(pool, later, 'alone');
    expect(await countOf(fleet!)).toBe(21);
  });

  it('does the work of other days if a block cannot be read', async () => {
    const [broken] = await fleetWith(20);
    const [fleet] = await fleetWith(20);
    await pool.query(sql`
      update record_block set devices = '{}', counts = '{}' where source = (
        select source from record_block_source where organization_id = ${broken!.organizationId})`);
    await expect(runBlockWork(pool, later, 'off', nobody)).rejects.toThrow('another number of records');
    expect(await countOf(fleet!)).toBe(20);
    await pool.query(sql`
      delete from record_blocked where source = (
        select source from record_block_source where organization_id = ${broken!.organizationId})`);
  });

  it('makes rollups while records of the day keep coming', async () => {
    const [fleet] = await fleetWith(20);
    for (const ts of [70, 75, 80]) await world.put(fleet!, [ts, { t: ts }]);
    const other = await pool.connect();
    await other.query('begin; lock table record in access exclusive mode');
    const made = rollUpAloneDays(pool, later);
    await until(async () => {
      const { rows } = await pool.query(sql`select from pg_locks where relation = 'record'::regclass and not granted`);
      return rows.length > 0;
    });
    await rollUp(pool, later);
    await other.query('commit');
    other.release();
    await made;
    expect(await totalOf(fleet!)).toBe(23);
  });

  it('keeps its rows while a drain of a cluster replaces them', async () => {
    const fleet = await world.fleetOf();
    await world.put(fleet, ...someRecords(20));
    await world.maintain();
    await pool.query(sql`insert into index_move (name, state) values ('drain', '{"phase": "copy"}')`);
    expect(await world.freeze(fleet)).toBe(0);
    await pool.query(sql`update index_move set state = '{"phase": "tail"}'`);
    expect(await world.freeze(fleet)).toBe(1);
  });
});
