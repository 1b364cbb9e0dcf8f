import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { setRetention } from '#operator/retention.js';
import { dropStale } from '#records/postgres/blocks/delete-blocks.js';
import { purgeDevices } from '#records/postgres/upkeep/purge.js';
import { retire } from '#records/postgres/upkeep/retention.js';
import type { Fleet } from '../fleet.js';
import { arbitraryRows } from './arbitrary-row.js';
import { type BlockWorld, daySeconds, later, midnight, same, someRecords, useBlockWorld } from './block-world.js';
import { createStored } from './round-trip.js';
import { storeRecords } from './store-rows.js';

let pool: Pool;
let world: BlockWorld;
useBlockWorld((...made) => {
  [pool, world] = made;
});

const noteOf = async ({ organizationId }: Fleet) =>
  (
    await pool.query<{ fault: string | null }>(
      sql`select fault from record_dirty_block where organization_id = ${organizationId}`,
    )
  ).rows;
/** Creates a fleet whose records are in blocks. */
const blockedFleet = async (records = 100): Promise<Fleet> => {
  const fleet = await world.fleetOf();
  await world.put(fleet, ...someRecords(records));
  await world.rollUpAll();
  await world.make();
  expect(await world.compare(fleet)).toEqual([same(records)]);
  return fleet;
};
const storedBlocks = async ({ organizationId }: Fleet): Promise<number> => {
  const { rows } = await pool.query<{ blocks: number }>(sql`
    select count(distinct b.block)::int as blocks from record_block_source join record_block b using (source) left join record_block_column using (block)
    where organization_id = ${organizationId}`);
  return rows[0]!.blocks;
};

describe('making of blocks', () => {
  it('restores the records of each finished day', async () => {
    const fleet = await world.fleetOf();
    await world.put(fleet, ...someRecords(1000), ...someRecords(300, -daySeconds));
    await world.rollUpAll();
    expect(await world.make()).toEqual([]);
    expect(await world.compare(fleet)).toEqual([same(300), same(1000)]);
    expect(await noteOf(fleet)).toEqual([]);
  });

  it('makes days that processes of an earlier release have not noted', async () => {
    const fleet = await world.fleetOf();
    await world.put(fleet, ...someRecords(10), ...someRecords(10, -daySeconds));
    await world.rollUpAll();
    await pool.query(sql`
      delete from record_dirty_block
      where organization_id = ${fleet.organizationId} and day < to_timestamp(${midnight})`);
    await world.make();
    expect(await world.compare(fleet)).toEqual([same(10), same(10)]);
  });

  it('restores records of devices without a product', async () => {
    const fleet = await world.fleetOf();
    await pool.query(sql`update device set product_id = null where id = ${fleet.deviceId}`);
    await world.put(fleet, [60, { free: 'x' }], [120, { free: 2.5 }]);
    await world.makeAgain();
    expect(await world.compare(fleet)).toEqual([same(2)]);
  });

  it('waits for two hours of the next day, and for a minute without changes', async () => {
    const fleet = await world.fleetOf();
    await world.put(fleet, [60, { t: 1 }]);
    await world.rollUpAll();
    await world.make(new Date());
    await world.make(new Date((midnight + 26 * 3600) * 1000 - 1));
    expect(await world.compare(fleet)).toEqual([]);
    await world.make(new Date(Date.now() + 61_000));
    expect(await world.compare(fleet)).toEqual([same(1)]);
  });

  it.each<[name: string, change: (fleet: Fleet) => Promise<unknown>, records: number]>([
    ['a late record', (fleet) => world.put(fleet, [90, { t: 5 }]), 101],
    [
      'a record that was decoded again',
      ({ organizationId, productId }) =>
        pool.query(sql`
          with changed as (update record set data = data || '{"again": true}' where organization_id = ${organizationId})
          insert into record_dirty (organization_id, product_id, hour)
          values (${organizationId}, ${productId}, to_timestamp(${midnight}))`),
      100,
    ],
  ])('makes stale blocks again after %s', async (_, change, records) => {
    const fleet = await blockedFleet();
    await change(fleet);
    expect(await world.compare(fleet)).toEqual([{ outcome: 'stale' }]);
    await world.rollUpAll();
    expect(await world.compare(fleet)).toEqual([{ outcome: 'stale' }]);
    await world.make();
    expect(await world.compare(fleet)).toEqual([same(records)]);
    expect(await storedBlocks(fleet)).toBe(1);
  });

  it('ends runs at the midnights of the organization, also of days that were made before', async () => {
    const fleet = await blockedFleet();
    const { organizationId } = fleet;
    const runs = async () => {
      const { rows } = await pool.query<{ counts: number[] }>(sql`
        select counts from record_block join record_block_source using (source) where organization_id = ${organizationId}`);
      return rows.map(({ counts }) => counts);
    };
    expect(await runs()).toEqual([[100]]);
    await pool.query(sql`update account set time_zone = '-01:00' where id = ${organizationId}`);
    await world.make();
    expect([await runs(), await world.compare(fleet), await noteOf(fleet)]).toEqual([[[60, 40]], [same(100)], []]);
  });

  it('deletes the records of a deleted device, and blocks without records', async () => {
    const fleet = await blockedFleet();
    await pool.query(sql`delete from device where id = ${fleet.deviceId}`);
    while (await purgeDevices(pool, later));
    await world.makeAgain();
    expect([await world.compare(fleet), await storedBlocks(fleet)]).toEqual([[], 0]);
  });

  it('deletes stale blocks while no process makes blocks', async () => {
    const fleet = await blockedFleet();
    await world.put(fleet, [90, { t: 5 }]);
    await world.rollUpAll();
    expect(await dropStale(pool)).toBe(1);
    expect([await storedBlocks(fleet), await noteOf(fleet)]).toEqual([0, [{ fault: null }]]);
    await world.make();
    expect(await world.compare(fleet)).toEqual([same(101)]);
  });
});

describe('making of blocks of any records', () => {
  let client: PoolClient;

  beforeAll(async () => {
    client = await pool.connect();
    await createStored(client);
  });
  afterAll(() => client.release());

  it('restores them', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryRows(20), async (rows) => {
        const fleet = await world.fleetOf();
        await storeRecords(client, fleet, rows);
        await world.make();
        expect(await world.compare(fleet)).toEqual([same(rows.length)]);
      }),
      { numRuns: 10, seed: 65 },
    );
  });
});

describe('retention of blocks', () => {
  it('deletes the blocks of expired days, and makes none of a day that loses records each hour', async () => {
    const fleet = await world.fleetOf();
    const { organizationId } = fleet;
    await world.put(fleet, ...someRecords(100, -daySeconds), ...someRecords(100), ...someRecords(100, daySeconds));
    await world.makeAgain();
    expect(await world.compare(fleet)).toHaveLength(3);
    // The limit is 50 minutes after midnight.
    await setRetention(pool, { organizationId, productId: null }, daySeconds * 1000);
    const now = new Date((midnight + daySeconds + 3000) * 1000);
    await retire(pool, now, () => false);
    await world.rollUpAll();
    await world.make(now);
    expect(await world.compare(fleet)).toEqual([{ outcome: 'stale' }, same(100)]);
    expect([await storedBlocks(fleet), await noteOf(fleet)]).toEqual([2, [{ fault: null }]]);
    // Without a limit the day is made.
    await setRetention(pool, { organizationId, productId: null }, null);
    await world.make();
    expect(await world.compare(fleet)).toEqual([same(50), same(100)]);
  });
});

describe('maker of blocks beside other work', () => {
  const waiting = async (
    work: (made: Promise<unknown>, release: () => Promise<void>, fleet: Fleet) => Promise<void>,
  ) => {
    const fleet = await world.fleetOf();
    await world.put(fleet, ...someRecords(100));
    await world.rollUpAll();
    await world.whileLocked(async (release) => {
      const made = world.makeOne(fleet).catch((error: Error) => error);
      await world.waitingMaker();
      await work(made, release, fleet);
    });
    return fleet;
  };

  it('gives a day up whose records have changed meanwhile', async () => {
    const fleet = await waiting(async (made, release, changing) => {
      await world.put(changing, [90, { t: 5 }]);
      await world.rollUpAll();
      await release();
      expect(await made).toEqual({ outcome: 'changed' });
    });
    expect(await world.compare(fleet)).toEqual([]);
    await world.make();
    expect(await world.compare(fleet)).toEqual([same(101)]);
  });

  it('makes blocks that are stale if a record has come whose hour has no rollup yet', async () => {
    const fleet = await waiting(async (made, release, changing) => {
      await world.put(changing, [90, { t: 5 }]);
      await release();
      expect(await made).toEqual({ outcome: 'made', records: 100 });
    });
    expect(await world.compare(fleet)).toEqual([{ outcome: 'stale' }]);
    await world.makeAgain();
    expect(await world.compare(fleet)).toEqual([same(101)]);
  });

  it('makes no day while another process makes one', async () => {
    const fleet = await waiting(async (made, release, busy) => {
      expect(await world.makeOne(busy)).toEqual({ outcome: 'busy' });
      await release();
      expect(await made).toEqual({ outcome: 'made', records: 100 });
    });
    expect(await storedBlocks(fleet)).toBe(1);
  });

  it('leaves nothing behind when its connection breaks, and makes the day at the next try', async () => {
    const fleet = await waiting(async (made) => {
      await pool.query(sql`select pg_terminate_backend(${await world.waitingMaker()}::int)`);
      expect(await made).toBeInstanceOf(Error);
    });
    expect([await storedBlocks(fleet), await noteOf(fleet)]).toEqual([0, [{ fault: null }]]);
    await world.make();
    expect(await world.compare(fleet)).toEqual([same(100)]);
  });
});

describe('maker of blocks on a database with a full disk', () => {
  it('writes nothing, and makes the day once there is room', async () => {
    await pool.query(`
      create function full_disk() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
      create trigger full_disk before insert on record_blocked execute function full_disk()`);
    const fleet = await world.fleetOf();
    await world.put(fleet, ...someRecords(100));
    await world.rollUpAll();
    await expect(world.make()).rejects.toMatchObject({ code: '53100' });
    await pool.query('drop trigger full_disk on record_blocked');
    expect([await storedBlocks(fleet), await noteOf(fleet)]).toEqual([0, [{ fault: null }]]);
    await world.make();
    expect(await world.compare(fleet)).toEqual([same(100)]);
  });
});

describe('day that cannot be in blocks', () => {
  it('keeps its rows and has a fault until its records change, while other days are made', async () => {
    const [wide, fleet] = [await blockedFleet(), await world.fleetOf()];
    const { organizationId, productId } = wide;
    await pool.query(sql`
      update record set numbers = array_fill(null::float8, array[19999]) || 1.0::float8
      where organization_id = ${organizationId} and ts = to_timestamp(${midnight + 60})`);
    const note = () =>
      pool.query(sql`insert into record_dirty (organization_id, product_id, hour)
        values (${organizationId}, ${productId}, to_timestamp(${midnight}))`);
    await note();
    await world.put(fleet, [90, { t: 5 }]);
    await world.rollUpAll();
    const fault = 'Blocks have no column for slot 20000.';
    expect(await world.make()).toEqual([fault]);
    expect([await world.compare(fleet), await world.compare(wide), await storedBlocks(wide)]).toEqual([
      [same(1)],
      [],
      0,
    ]);
    expect(await noteOf(wide)).toEqual([{ fault }]);
    expect(await world.make()).toEqual([]);
    await pool.query(sql`update record set numbers = null where organization_id = ${organizationId}`);
    await note();
    await world.makeAgain();
    expect(await world.compare(wide)).toEqual([same(100)]);
  });

  it('has a fault without values if its blocks restore something else', async () => {
    await pool.query(`
      create function corrupt() returns trigger language plpgsql as $$ begin new.base := new.base + 1; return new; end $$;
      create trigger corrupt before insert on record_block_column for each row when (new.col = 1) execute function corrupt()`);
    const fleet = await world.fleetOf();
    await world.put(fleet, [60, { t: 17 }], [120, { t: 17 }]);
    await world.rollUpAll();
    const faults = await world.make();
    await pool.query('drop trigger corrupt on record_block_column');
    expect(faults).toEqual(['A block differs in data, numbers of its record 1.']);
    expect([await world.compare(fleet), await storedBlocks(fleet)]).toEqual([[], 0]);
  });
});
