import { describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { createLog } from '#common/log.js';
import { type BlockThread, createBlockThread } from '#records/postgres/blocks/block-thread.js';
import { until } from '../../support/until.js';
import type { Fleet } from '../fleet.js';
import { type BlockWorld, later, same, someRecords, useBlockWorld } from './block-world.js';

let pool: Pool;
let world: BlockWorld;
const database = useBlockWorld((...made) => {
  [pool, world] = made;
});
const lines: string[] = [];
const log = createLog('warn', { write: (line) => void lines.push(line) });

const thread = (heap?: number): BlockThread =>
  createBlockThread({ pool, connectionString: database.url, mode: 'on', log, ...(heap !== undefined && { heap }) });
const filledFleet = async (): Promise<Fleet> => {
  const fleet = await world.fleetOf();
  await world.put(fleet, ...someRecords(100));
  await world.rollUpAll();
  return fleet;
};
/** Runs threads until a fleet's day is made: PostgreSQL notices some time later that a thread has gone. */
const runUntilMade = (fleet: Fleet): Promise<void> =>
  until(async () => {
    await thread().run(later);
    return (await world.compare(fleet)).length > 0;
  });

describe('thread that makes blocks', () => {
  it('makes all due days, and closes its connections', async () => {
    const fleets = [await filledFleet(), await filledFleet()];
    await thread().run(later);
    for (const fleet of fleets) expect(await world.compare(fleet)).toEqual([same(100)]);
    const { rows } = await pool.query(sql`select from pg_stat_activity where application_name = 'ddp blocks'`);
    expect(rows).toEqual([]);
  });

  it('makes days that processes of an earlier release have not noted', async () => {
    const fleet = await filledFleet();
    await pool.query(sql`delete from record_dirty_block where organization_id = ${fleet.organizationId}`);
    await thread().run(later);
    expect(await world.compare(fleet)).toEqual([same(100)]);
  });

  it('makes days again whose organization has another time zone now', async () => {
    const { organizationId } = await filledFleet();
    await thread().run(later);
    await pool.query(sql`update account set time_zone = '-01:00' where id = ${organizationId}`);
    await thread().run(later);
    const { rows } = await pool.query(sql`
      select counts from record_block join record_block_source using (source) where organization_id = ${organizationId}`);
    expect(rows).toEqual([{ counts: [60, 40] }]);
  });

  it('ends while it makes a day, which the next one makes', async () => {
    const fleet = await filledFleet();
    await world.whileLocked(async () => {
      const closing = thread();
      const made = closing.run(later);
      await world.waitingMaker();
      // Another process starts no thread meanwhile.
      await thread().run(later);
      await closing.close();
      await made;
    });
    await runUntilMade(fleet);
    expect(await world.compare(fleet)).toEqual([same(100)]);
  });

  it('fails when its connection breaks, and the next one makes the day', async () => {
    const fleet = await filledFleet();
    await world.whileLocked(async (release) => {
      const made = thread()
        .run(later)
        .catch((error: Error) => error);
      await pool.query(sql`select pg_terminate_backend(${await world.waitingMaker()}::int)`);
      expect(await made).toMatchObject({ message: expect.stringMatching(/terminat/) });
      await release();
    });
    await runUntilMade(fleet);
    expect(await world.compare(fleet)).toEqual([same(100)]);
  });

  it('warns once of a day that cannot be in blocks', async () => {
    const { organizationId, productId } = await filledFleet();
    await pool.query(sql`
      update record set numbers = array_fill(null::float8, array[20000]) where organization_id = ${organizationId}`);
    await pool.query(sql`update record set numbers[20000] = 1 where organization_id = ${organizationId}`);
    for (let run = 0; run < 2; run++) await thread().run(later);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ organizationId, productId, fault: 'Blocks have no column for slot 20000.' }),
    ]);
  });

  it('notes a day for which its memory does not suffice', async () => {
    lines.length = 0;
    const fleet = await filledFleet();
    await pool.query(sql`
      update record set data = jsonb_build_object('text', repeat('é', 500000) || seq) where organization_id = ${fleet.organizationId}`);
    const others = await filledFleet();
    await thread(40).run(later);
    expect(lines).toEqual([expect.stringContaining('A block needs more than 40 MiB of memory.')]);
    await runUntilMade(others);
    expect([await world.compare(fleet), await world.compare(others)]).toEqual([[], [same(100)]]);
  });
});
