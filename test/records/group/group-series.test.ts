import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { daySeconds, hourSeconds } from '#common/time.js';
import { fairQueueFor } from '#database/pool-queue.js';
import { createPool } from '#database/pools.js';
import { VariableType } from '#entities/enums.js';
import { CalendarInterval, DeviceCombination, DeviceReduction, GroupFill, GroupSplit } from '#entities/group-series.js';
import type { GroupCall, GroupLine } from '#records/group-series.js';
import { noteOtherZones } from '#records/postgres/blocks/noted-day.js';
import { createGroupSeries } from '#records/postgres/search/group/group.js';
import { freezeBlocks, makeBlocks } from '../../search/blocks.js';
import { rollUpAll } from '../../search/rolled.js';
import { buildWorld, type World, type WorldRecord, worldNow } from '../../search/world.js';
import { useDatabase } from '../../support/database.js';
import { type Fleet, fleet, forms, parents, type Sent, starts } from './arbitrary-fleet.js';
import { calendarKey, type FoldedDevice, foldGroup, type Value } from './fold.js';

const database = useDatabase();
let pool: Pool;
beforeAll(() => {
  pool = createPool(database.url);
});
afterAll(() => pool.end());

const now = worldNow / 1000;

const variables = [
  { name: 'energy', type: VariableType.FLOAT32 },
  { name: 'on', type: VariableType.BOOL },
];

const recordOf = (start: number, { device, minute, v, isOn }: Sent): WorldRecord => ({
  serial: `a${device}`,
  ts: start + minute * 60,
  data: { energy: v, on: isOn },
});

/** Creates a fleet whose late records arrive after its rollups and blocks are made. */
const store = async ({
  start,
  storage,
  homeZone,
  isMerged,
  values,
  counter,
  exchanges,
  moves,
  nextZone,
  deleted,
}: Fleet): Promise<World> => {
  const [late, early] = [values.filter(({ isLate }) => isLate), values.filter(({ isLate }) => !isLate)];
  const products = { first: variables, second: variables.toReversed() };
  const devices = [0, 1, 2, 3, 4].map((device) => ({
    serial: `a${device}`,
    // The last device has no product, so that its values are read as received.
    ...(device < 4 && { product: device % 2 === 0 ? 'first' : 'second' }),
    tags: device % 2 === 0 ? ['even', 'any'] : ['any'],
  }));
  const world = await buildWorld(pool, { products, devices, records: early.map((each) => recordOf(start, each)) });
  await pool.query(sql`update account set time_zone = ${homeZone} where id = ${world.organizationId}`);
  if (storage === 'rollups') await rollUpAll(pool);
  if (storage.startsWith('blocks')) await makeBlocks(pool);
  if (storage === 'blocks alone') await freezeBlocks(pool);
  if (late.length > 0) await world.store(late.map((each) => recordOf(start, each)));
  if (nextZone) await pool.query(sql`update account set time_zone = ${nextZone} where id = ${world.organizationId}`);
  if (storage.startsWith('blocks') && isMerged) {
    await noteOtherZones(pool);
    await makeBlocks(pool);
  }
  await pool.query(sql`
    update product set settings = ${JSON.stringify({ variables: { energy: { counter } } })} where id = ${world.productIds['first']}`);
  for (const { device, minute, v } of exchanges)
    await pool.query(sql`
      insert into counter_exchange
      select organization_id, id, 'energy', to_timestamp(${start + minute * 60}), ${v}
        from device where organization_id = ${world.organizationId} and serial = ${`a${device}`} on conflict do nothing`);
  await storeStays(world, start, moves);
  if (deleted !== null) {
    const gone = sql`select id from device where organization_id = ${world.organizationId} and serial = ${`a${deleted}`}`;
    await pool.query(sql`delete from application_device where device_id in (${gone})`);
    await pool.query(sql`delete from device where id in (${gone})`);
  }
  return world;
};

/** Times at which a device was at sites, in minutes after the start. */
const staysOf = (device: number, moves: Fleet['moves']) => {
  const own = new Map(moves.filter((each) => each.device === device).map(({ minute, site }) => [minute, site]));
  const ordered = [...own].sort(([a], [b]) => a - b);
  return ordered.map(([minute, site], index) => ({
    site,
    from: minute,
    to: ordered[index + 1]?.[0] ?? Number.POSITIVE_INFINITY,
  }));
};

/** Returns the identifier of a site. */
const siteId = (world: World, site: number): string => world.organizationId.slice(0, -1) + site;

const storeStays = async (world: World, start: number, moves: Fleet['moves']): Promise<void> => {
  const { organizationId } = world;
  for (const [site, parent] of parents.entries()) {
    const above = parent === null ? null : siteId(world, parent);
    await pool.query(sql`
      insert into site (id, organization_id, parent_id, path, name, created_at, updated_at)
      values (${siteId(world, site)}, ${organizationId}, ${above}, coalesce((select path from site where id = ${above}), '{}') || ${siteId(world, site)}::uuid, 's', now(), now())`);
  }
  for (const device of [0, 1, 2, 3, 4])
    for (const { site, from, to } of staysOf(device, moves)) {
      if (site === null) continue;
      const ended = Number.isFinite(to) ? start + to * 60 : null;
      await pool.query(sql`
        insert into device_site (organization_id, device_id, site_id, started_at, ended_at)
        select organization_id, id, ${siteId(world, site)}, to_timestamp(${start + from * 60}), to_timestamp(${ended}::float8)
          from device where organization_id = ${organizationId} and serial = ${`a${device}`}`);
    }
};

/** Whether a site is another one or below it. */
const isBelow = (site: number | null | undefined, other: number): boolean =>
  site != null && (site === other || isBelow(parents[site], other));

const membersOf = (world: World, site: number | null): Pick<GroupCall, 'members' | 'groups'> => {
  const all = sql`device d where d.organization_id = ${world.organizationId}`;
  if (site === null) return { members: { from: all, group: sql`''::text` }, groups: [''] };
  const id = siteId(world, site);
  return { members: { from: all, group: sql`${id}::text`, isSite: true }, groups: [id] };
};

const ask = (world: World, call: Partial<GroupCall>, sums: 'all' | 'runs' = 'all') => {
  const { organizationId } = world;
  const read = createGroupSeries({ pool, queue: fairQueueFor(pool), clock: () => worldNow, timeoutMs: 30_000, sums });
  return read({
    organizationId,
    members: { from: sql`device d where d.organization_id = ${organizationId}`, group: sql`''::text` },
    groups: [''],
    variable: 'energy',
    timeZone: 'UTC',
    perDevice: DeviceReduction.avg,
    combine: DeviceCombination.sum,
    split: GroupSplit.none,
    state: 'true',
    fill: GroupFill.none,
    maxAge: daySeconds,
    minDevices: 1,
    ...call,
  });
};

/** The values of each device in the order of time. Values of one time are in the order of storing. */
const devicesOf = (
  { start, values, counter, exchanges, moves }: Fleet,
  isState: boolean,
  site: number | null,
): FoldedDevice[] =>
  [0, 1, 2, 3, 4].map((device) => {
    const own = values.filter((each) => each.device === device);
    const stored = [...own.filter(({ isLate }) => !isLate), ...own.filter(({ isLate }) => isLate)];
    const all = stored.map(
      ({ minute, v, isOn }): Value => ({ ts: start + minute * 60, v: isState ? Number(isOn) : v }),
    );
    const changed = new Map(
      exchanges
        .filter((each) => each.device === device)
        .map(({ minute, v }): [number, number] => [start + minute * 60, v])
        .toReversed(),
    );
    const meters = [...changed].map(([ts, v]) => ({ ts, v })).sort((a, b) => a.ts - b.ts);
    const stays = staysOf(device, moves);
    const isThere = (ts: number) =>
      site === null ||
      stays.some((stay) => isBelow(stay.site, site) && ts >= start + stay.from * 60 && ts < start + stay.to * 60);
    const settings = device === 0 || device === 2 ? counter : {};
    return { values: all.sort((a, b) => a.ts - b.ts), counter: { ...settings, exchanges: meters }, isThere };
  });

const sumOf = (lines: readonly GroupLine[]): number =>
  lines.flatMap(({ values }) => values).reduce((total, value) => total + value, 0);

const quiet: Fleet = {
  start: starts[0]!,
  storage: 'blocks alone',
  homeZone: 'Europe/Berlin',
  nextZone: undefined,
  isMerged: false,
  deleted: null,
  values: [],
  counter: { jitter: 0, rollsOverAt: undefined },
  exchanges: [],
  moves: [],
};

describe('groupSeries', () => {
  it('equals a plain fold over the records, wherever these are stored', async () => {
    await fc.assert(
      fc.asyncProperty(fleet, fc.array(forms, { minLength: 3, maxLength: 8 }), async (made, asked) => {
        const { start } = made;
        const world = await store(made);
        for (const { zone, unit, fromMinute, minutes, perDevice, combine, maxAge, minDevices, site, sums } of asked) {
          const isState = perDevice === DeviceReduction.timeInState;
          const from = start + fromMinute * 60;
          const to = from + minutes * 60;
          const bucketOf = unit === 'week' ? () => 'all' : calendarKey(unit, zone);
          const [line] = await ask(
            world,
            {
              from,
              to,
              ...(unit !== 'week' && { calendarInterval: CalendarInterval[unit], timeZone: zone }),
              ...membersOf(world, site),
              variable: isState ? 'on' : 'energy',
              perDevice,
              combine,
              maxAge,
              minDevices,
            },
            sums,
          );
          const call = { from, to, now, bucketOf, perDevice, combine, maxAge, minDevices };
          const present = devicesOf(made, isState, site).filter((_, device) => device !== made.deleted);
          const folded = foldGroup(present, call);
          expect(line!.ts.map(bucketOf).toSorted()).toEqual([...folded.keys()].toSorted());
          line!.ts.forEach((ts, index) => {
            const point = folded.get(bucketOf(ts))!;
            expect(line!.values[index]).toBeCloseTo(point.value, 6);
            expect(line!.devices[index]).toBe(point.devices);
            if (site === null) expect(line!.expected[index]).toBe(present.length);
            else expect(line!.expected[index]).toBeGreaterThanOrEqual(point.devices);
            if (combine !== DeviceCombination.spread) return;
            expect(line!.lowest[index]).toBeCloseTo(point.lowest, 6);
            expect(line!.highest[index]).toBeCloseTo(point.highest, 6);
          });
        }
      }),
      { numRuns: Number(process.env['GROUP_CASES'] ?? 6), endOnFailure: true },
    );
  });

  it('reads days that lie in one bucket from sums of blocks', async () => {
    const start = starts[0]!;
    const values = Array.from(
      { length: 96 },
      (_, index): Sent => ({ device: 0, minute: index * 30, v: index, isLate: false, isOn: false }),
    );
    const world = await store({ ...quiet, values });
    const call = { from: start + 23 * hourSeconds, to: start + 47 * hourSeconds, perDevice: DeviceReduction.increase };
    const days = { ...call, calendarInterval: CalendarInterval.day, timeZone: 'Europe/Berlin' };
    expect((await ask(world, days, 'runs'))[0]!.values).toEqual([48]);
    const other = { ...days, timeZone: 'America/Los_Angeles' };
    const [before] = await ask(world, other, 'runs');
    await pool.query(sql`
      update record_block_sum s set base = 1, v1 = null, v2 = null, v4 = null, v8 = null
        from record_block b join record_block_source o using (source)
       where s.block = b.block and s.part = 'i' and o.organization_id = ${world.organizationId}`);
    expect((await ask(world, days, 'runs'))[0]!.values[0]).toBeLessThan(48);
    expect(await ask(world, other, 'runs')).toEqual([before]);
  });

  it('counts no step to the first value of a new meter that was exchanged within a day in blocks', async () => {
    const values = [1000, 1010, 4715, 4720, 4730].map(
      (v, index): Sent => ({ device: 0, minute: [600, 660, 780, 840, 1980][index]!, v, isLate: false, isOn: false }),
    );
    const world = await store({ ...quiet, homeZone: 'UTC', values, exchanges: [{ device: 0, minute: 720, v: 4711 }] });
    const range = { from: quiet.start, to: quiet.start + 2 * daySeconds, timeZone: 'UTC' };
    const call = { ...range, calendarInterval: CalendarInterval.day, perDevice: DeviceReduction.increase };
    for (const sums of ['runs', 'all'] as const) expect((await ask(world, call, sums))[0]!.values).toEqual([19, 10]);
  });

  it('reads hours, days and months from sums of all devices', async () => {
    const values = Array.from(
      { length: 336 },
      (_, index): Sent => ({ device: index % 2, minute: index * 30, v: index, isLate: false, isOn: false }),
    );
    const world = await store({ ...quiet, values });
    const month = Date.UTC(2026, 2, 1) / 1000 - hourSeconds;
    const asked = {
      m: { from: month, to: month + 31 * daySeconds - hourSeconds, calendarInterval: CalendarInterval.month },
      d: {
        from: quiet.start + 23 * hourSeconds,
        to: quiet.start + 47 * hourSeconds,
        calendarInterval: CalendarInterval.day,
      },
      h: { from: quiet.start + 5 * hourSeconds, to: quiet.start + 29 * hourSeconds },
    };
    for (const [level, range] of Object.entries(asked)) {
      const call = { ...range, timeZone: 'Europe/Berlin', perDevice: DeviceReduction.increase };
      const [right] = await ask(world, call, 'runs');
      expect(await ask(world, call)).toEqual([right]);
      // A constant 7 in the place of the last values.
      await pool.query(sql`
        update record_fleet_sum f set cells = decode('00000000000000000000000000001c40', 'hex'), same = null
          from record_block_source o
         where o.source = f.source and o.organization_id = ${world.organizationId} and f.level = ${level} and f.part = 't'`);
      expect(await ask(world, call)).not.toEqual([right]);
    }
  });

  it('adds up to the increase of the range, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fleet, async (made) => {
        const world = await store(made);
        const call = {
          from: made.start + 4 * hourSeconds,
          to: made.start + 5 * daySeconds,
          perDevice: DeviceReduction.increase,
        };
        const whole = sumOf(await ask(world, call));
        for (const timeZone of ['Europe/Berlin', 'UTC', 'Asia/Kolkata'])
          for (const calendarInterval of [CalendarInterval.hour, CalendarInterval.day, CalendarInterval.week])
            expect(sumOf(await ask(world, { ...call, calendarInterval, timeZone }))).toBeCloseTo(whole, 6);
        expect(sumOf(await ask(world, { ...call, split: GroupSplit.device }))).toBeCloseTo(whole, 6);
        expect(sumOf(await ask(world, { ...call, split: GroupSplit.product, interval: 7000 }))).toBeCloseTo(whole, 6);
      }),
      { numRuns: Math.ceil(Number(process.env['GROUP_CASES'] ?? 6) / 3), endOnFailure: true },
    );
  });
});
