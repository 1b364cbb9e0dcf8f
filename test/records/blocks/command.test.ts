import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { runCommand } from '../../support/command.js';
import { endPoolsOf, poolOf } from '../../support/connection.js';
import { createDatabase, execute } from '../../support/server.js';
import { useService } from '../../support/service.js';
import { until } from '../../support/until.js';
import type { Fleet } from '../fleet.js';
import { type BlockWorld, createBlockWorld, daySeconds, midnight, someRecords } from './block-world.js';

const service = useService({ config: { recordBlocks: 'on' } });
let world: BlockWorld;
let fleet: Fleet;
let wide: Fleet;

const pool = () => poolOf(service.databaseUrl);
const ddp = (...args: string[]) =>
  runCommand(args, { DATABASE_URL: service.databaseUrl, SECRET_KEY: 'a key for tests', RECORD_BLOCKS: 'on' });
const rolledUp = () =>
  until(async () => {
    await world.rollUpAll();
    return (await pool().query('select from record_dirty')).rowCount === 0;
  });

beforeAll(async () => {
  world = createBlockWorld(pool());
  [fleet, wide] = [await world.fleetOf(), await world.fleetOf()];
  await world.put(fleet, ...someRecords(50), ...someRecords(50, -daySeconds));
  await world.put(wide, [60, { t: 1 }]);
  await pool().query(sql`
    update record set numbers = array_fill(null::float8, array[19999]) || 1.0::float8
    where organization_id = ${wide.organizationId}`);
  await rolledUp();
});
afterAll(() => world.store.close());

const rowsOf = async (database: Pool): Promise<number | null> => (await database.query('select from record')).rowCount;
const figures = async (): Promise<Record<string, number>> => {
  const page = await (await fetch(`${service.url}/metrics`)).text();
  const lines = [...page.matchAll(/^(ddp_block_\w+) (\d+)$/gm)];
  return Object.fromEntries(lines.map(([, name, value]) => [name!, Number(value)]));
};

describe('ddp blocks', () => {
  const nameOf = ({ organizationId, productId }: Fleet) =>
    `${new Date(midnight * 1000).toISOString().slice(0, 10)} of product ${productId} of organization ${organizationId}`;

  it('makes all finished days, and names those that cannot be in blocks', async () => {
    expect(await figures()).toEqual({
      ddp_block_days: 0,
      ddp_block_days_alone: 0,
      ddp_block_days_waiting: 3,
      ddp_block_days_faulty: 0,
    });
    const { code, stderr } = await ddp('blocks', 'build');
    const fault = `${nameOf(wide)}: Blocks have no column for slot 20000.`;
    expect({ code, stderr }).toEqual({ code: 1, stderr: `1 days cannot be in blocks:\n${fault}\n` });
    expect(await figures()).toEqual({
      ddp_block_days: 2,
      ddp_block_days_alone: 0,
      ddp_block_days_waiting: 0,
      ddp_block_days_faulty: 1,
    });
    const { stdout } = await ddp('doctor', '--json');
    const { findings } = JSON.parse(stdout) as { findings: { check: string }[] };
    expect(findings.find(({ check }) => check === 'blocks')).toEqual({
      check: 'blocks',
      state: 'wrong',
      says: expect.stringMatching(/^1 days cannot be in blocks/),
      details: [fault],
    });
  });

  it('compares blocks with records, and has days that differ made again', async () => {
    expect(await ddp('blocks', 'verify')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^same: 2 days, 100/),
    });
    await pool().query(sql`
      update record set data = data || '{"changed": 1}'
      where organization_id = ${fleet.organizationId} and ts = to_timestamp(${midnight + 60})`);
    const differing = await ddp('blocks', 'verify');
    const { rows } = await pool().query<{ block: number }>('select max(block) as block from record_block');
    expect(differing).toMatchObject({ code: 1, stderr: expect.stringContaining(`${nameOf(fleet)}: Block `) });
    expect(differing.stderr).toMatch(/differs in data of its record 2\.\n$/);
    expect(rows[0]!.block).toBeGreaterThan(0);
    expect(await ddp('blocks', 'verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('stale: 1 days') });
    await pool().query(sql`update record set numbers = null where organization_id = ${wide.organizationId}`);
    expect(await ddp('blocks', 'build')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^made: 2 days, 51/) });
    expect(await ddp('blocks', 'verify')).toMatchObject({ stdout: expect.stringMatching(/^same: 3 days, 101/) });
  });

  it.each([
    ['that have rows', 0],
    ['that have none', 2],
  ])('has valid blocks of days %s after a restore', async (_, frozen) => {
    expect(frozen === 0 ? 0 : await world.freeze(fleet)).toBe(frozen);
    expect(await figures()).toMatchObject({ ddp_block_days_alone: frozen });
    const folder = await mkdtemp(join(tmpdir(), 'ddp-blocks-'));
    const file = join(folder, 'blocks.backup');
    expect(await ddp('backup', file)).toMatchObject({ code: 0 });
    const restored = await createDatabase({ template: false });
    const there = (...args: string[]) => runCommand(args, { DATABASE_URL: restored, SECRET_KEY: 'a key for tests' });
    expect(await there('restore', file)).toMatchObject({ code: 0 });
    await rm(folder, { recursive: true });
    expect(await there('blocks', 'verify')).toMatchObject({ stdout: expect.stringMatching(/^same: 3 days, 101/) });
    // The numbers go on after those of the backup.
    await poolOf(restored).query(sql`
      insert into record_dirty_block (organization_id, product_id, day)
      values (${fleet.organizationId}, ${fleet.productId}, to_timestamp(${midnight}))`);
    expect(await there('blocks', 'build')).toMatchObject({ stdout: expect.stringMatching(/^made: 1 days, 50/) });
    expect(await there('blocks', 'drain')).toMatchObject({ code: 0, stdout: 'deleted: 3 days\n' });
    expect(await rowsOf(poolOf(restored))).toBe(101);
    await endPoolsOf(restored);
  });

  it('restores all rows, deletes all blocks, and builds them again', async () => {
    expect(await rowsOf(pool())).toBe(1);
    expect(await ddp('blocks', 'drain')).toMatchObject({ code: 0, stdout: 'deleted: 3 days\n' });
    for (const table of ['record_block', 'record_block_column', 'record_block_sum', 'record_blocked'])
      expect((await pool().query(`select from ${table}`)).rowCount).toBe(0);
    expect(await rowsOf(pool())).toBe(101);
    // As if processes of an earlier release had stored the records.
    await pool().query('delete from record_dirty_block');
    expect(await ddp('blocks', 'build')).toMatchObject({ stdout: expect.stringMatching(/^made: 3 days, 101/) });
  });
});

describe('ddp doctor', () => {
  it('notes days that have waited too long for their blocks', async () => {
    await ddp('blocks', 'drain');
    await pool().query(`update record_dirty_block set since = since - interval '8 hours'`);
    const { stdout } = await ddp('doctor', '--json');
    const { findings } = JSON.parse(stdout) as { findings: { check: string }[] };
    expect(findings.find(({ check }) => check === 'blocks')).toEqual({
      check: 'blocks',
      state: 'note',
      says: '3 days have waited for their blocks for up to 8 hours.',
    });
  });

  it('finds blocks in use without a setting, except in a database that a release before 0.4 may use', async () => {
    const url = await createDatabase();
    const says = async () => {
      const { stdout } = await runCommand(['doctor', '--json'], { DATABASE_URL: url, SECRET_KEY: 'a key for tests' });
      return (JSON.parse(stdout) as { findings: { check: string; says: string }[] }).findings.find(
        ({ check }) => check === 'blocks',
      )?.says;
    };
    expect(await says()).toBe('0 days are in blocks, 0 of them have no rows');
    await execute(url, 'insert into record_rollup_rule (least_hour, least_day) values (0, 0)');
    expect(await says()).toBe('off');
  });
});
