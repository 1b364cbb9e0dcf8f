import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pid, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { createLog } from '#common/log.js';
import { dayMs, daySeconds, hourSeconds } from '#common/time.js';
import { openEmbedded } from '#database/embedded.js';
import { fairQueueFor } from '#database/pool-queue.js';
import { createPool } from '#database/pools.js';
import { prepareDatabase } from '#database/prepare.js';
import { CalendarInterval, DeviceCombination, DeviceReduction, GroupFill, GroupSplit } from '#entities/group-series.js';
import type { GroupCall } from '#records/group-series.js';
import { makeDay } from '#records/postgres/blocks/make-day.js';
import { makeDueFleets } from '#records/postgres/blocks/make-due-days.js';
import { findFinishedDays } from '#records/postgres/blocks/noted-day.js';
import { createGroupSeries } from '#records/postgres/search/group/group.js';
import { createFleet, type PacedOwner } from './blocks-fleet.js';
import { progress, type Row, report, timed } from './figures.js';
import { measureBesideVictoria } from './groups-victoria.js';
import { spentBy } from './processor.js';

const zone = 'Europe/Berlin';

/**
 * Measures lines over many devices from sums of all devices beside other ways: `--beside runs,hand,victoria`, which are
 * sums by run, `records` alone, SQL by hand over the same rows, and VictoriaMetrics where both definitions agree.
 * `--devices N` (10000), `--days N` (30), `--records N` (4) of a device and day, or `--rows N` of all, `--rounds N` (5),
 * `--kept FOLDER` keeps the records.
 */
export async function run(args: readonly string[]): Promise<void> {
  const text = (usual: string) => ({ type: 'string', default: usual }) as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      devices: text('10000'),
      days: text('30'),
      records: text('4'),
      rows: { type: 'string' },
      rounds: text('5'),
      beside: text('runs,hand,victoria'),
      kept: { type: 'string' },
    },
  });
  const [devices, days, rounds] = [values.devices, values.days, values.rounds].map(Number) as [number, number, number];
  // A day before the range and one that is not over are stored, too.
  const records =
    values.rows === undefined
      ? Number(values.records)
      : Math.max(1, Math.round(Number(values.rows) / devices / (days + 2)));
  const folder = values.kept ?? (await mkdtemp(join(tmpdir(), 'ddp-bench-')));
  const log = createLog('warn');
  const server = await openEmbedded({ dataDir: join(folder, 'data'), log, durable: true });
  await prepareDatabase(server.connectionString, log);
  const pool = createPool(server.connectionString, { max: 6, pipeline: true });
  try {
    // The last day stays rows, as a day that is not over.
    const end = Math.floor(Date.now() / dayMs) * daySeconds;
    const owner = (await findFleet(pool)) ?? (await storeFleet(pool, { devices, until: end, days, records }));
    await makeFleets(pool);
    const beside = values.beside.split(',').filter((way) => way !== '');
    await measure(pool, owner, { end, days, rounds, beside: beside.filter((way) => way !== 'victoria') });
    if (beside.includes('victoria')) {
      const [from, to] = [end - (days + 1) * daySeconds, end - daySeconds];
      const ask = createGroupSeries({ pool, queue: fairQueueFor(pool), clock: () => end * 1000, timeoutMs: 120_000 });
      const call = callOf(owner, { from, to, calendarInterval: CalendarInterval.day, timeZone: 'UTC' });
      await measureBesideVictoria(pool, { from, to, rounds }, () => ask(call));
    }
  } finally {
    await pool.end();
    await server.close();
    if (values.kept === undefined) await rm(folder, { recursive: true, force: true });
  }
}

const findFleet = async (pool: Pool): Promise<PacedOwner | undefined> => {
  const { rows } = await pool.query<PacedOwner>(sql`
    select organization_id as "organizationId", id as "productId" from product where name = 'meters'`);
  return rows[0];
};

const storeFleet = async (pool: Pool, { devices, ...stored }: Stored & { devices: number }): Promise<PacedOwner> => {
  const owner = await createFleet(pool, { name: 'meters', devices, minutes: 60, radio: false });
  await pool.query(sql`update account set time_zone = ${zone} where id = ${owner.organizationId}`);
  await storeDays(pool, owner, { ...stored, until: stored.until - daySeconds, days: stored.days + 1 });
  await makeBlocks(pool);
  await storeDays(pool, owner, { ...stored, days: 1 });
  await pool.query('vacuum analyze');
  return owner;
};

/** Makes the sums of all devices of days and months that lack them. */
const makeFleets = async (pool: Pool): Promise<void> => {
  const began = performance.now();
  await makeDueFleets(pool, new Date(Date.now() + 2 * dayMs));
  const { rows } = await pool.query<{ bytes: number }>(
    `select pg_total_relation_size('record_fleet_sum')::float8 as bytes`,
  );
  stdout.write(
    `\nsums of all devices: ${(rows[0]!.bytes / 2 ** 20).toFixed(1)} MiB, made in ${((performance.now() - began) / 1000).toFixed(1)} s\n`,
  );
};

/** Makes the blocks of all days. Lines over many devices read no rollups. */
const makeBlocks = async (pool: Pool): Promise<void> => {
  const days = await findFinishedDays(pool, new Date(Date.now() + 2 * dayMs));
  for (const [index, day] of days.entries()) {
    await makeDay(pool, day);
    progress(index + 1, days.length);
  }
};

interface Stored {
  until: number;
  days: number;
  /** Records of a device and day. */
  records: number;
}

/** Stores counters that rise, each at its own pace, and notes their days as the service does. */
const storeDays = async (pool: Pool, owner: PacedOwner, { until, days, records }: Stored): Promise<void> => {
  const { organizationId, productId } = owner;
  await pool.query(sql`
    insert into record_source (organization_id, product_id, device_id)
    select ${organizationId}, ${productId}, id from device on conflict do nothing`);
  for (let day = 0; day < days; day++) {
    const start = until - (days - day) * daySeconds;
    await pool.query(sql`select record_partition(to_timestamp(${start}::float8), now())`);
    await pool.query(sql`
      insert into record (id, organization_id, device_id, product_id, ts, metadata, data, numbers, texts)
      select uuidv7(), ${organizationId}::uuid, d.id, ${productId}::uuid, to_timestamp(${start} + s.i * ${daySeconds / records}::float8 + d.n % 3000), '{}',
             jsonb_build_object('temperature', v, 'humidity', h), array[v, h], '{}'
        from generate_series(0, ${records - 1}::int) s (i)
        cross join (select id, row_number() over (order by id) as n from device) d
        cross join lateral (
          select floor(d.n * 791.9 + (${start} - 1750000000) / 3600.0 * (20 + d.n % 100) + s.i * ${24 / records}::float8 * (20 + d.n % 100)) / 100.0 as v,
                 40 + (d.n + s.i * 7) % 30 as h) v`);
    await pool.query(sql`
      insert into record_dirty_block (organization_id, product_id, day)
      values (${organizationId}, ${productId}, to_timestamp(${start}::float8)) on conflict do nothing`);
    progress(day + 1, days);
  }
};

interface Measured {
  /** Ways to answer that are measured as well. */
  beside: readonly string[];
  end: number;
  days: number;
  rounds: number;
}

/** A question with the same one by hand. */
interface Question {
  name: string;
  call: Partial<GroupCall>;
  byHand: string;
}

const measure = async (pool: Pool, owner: PacedOwner, { end, days, rounds, beside }: Measured): Promise<void> => {
  const [from, to] = [end - (days + 1) * daySeconds, end - daySeconds];
  const answers = (sums: 'all' | 'runs' | 'none') =>
    createGroupSeries({ pool, queue: fairQueueFor(pool), clock: () => end * 1000, timeoutMs: 120_000, sums });
  for (const { name, call, byHand } of questionsOf(from, to, end)) {
    const asked = callOf(owner, call);
    const ways: Record<string, () => Promise<unknown>> = {
      all: () => answers('all')(asked),
      runs: () => answers('runs')(asked),
      records: () => answers('none')(asked),
      hand: () => pool.query(byHand),
    };
    const rows: (Row & { way: string; spent: number })[] = [];
    for (const way of ['all', ...beside]) rows.push({ name: names[way]!, figures: [], way, spent: 0 });
    for (let round = 0; round < rounds; round++)
      for (const row of rows) {
        const before = await spentBy({ pool, pid });
        row.figures.push(await timed(ways[row.way]!));
        const after = await spentBy({ pool, pid });
        row.spent += after.service + after.database - before.service - before.database;
      }
    for (const row of rows) {
      if (row !== rows.at(-1)) row.against = rows.at(-1)!;
      row.name += ` (${Math.round(Math.min(...row.figures))} at least, ${Math.round(row.spent / rounds / 1000)} of processors)`;
    }
    report(name, 'ms', rows);
  }
  stdout.write('\n');
};

/** Ways to answer. */
const names: Readonly<Record<string, string>> = {
  all: 'sums of all devices',
  runs: 'sums by run',
  records: 'records',
  hand: 'SQL by hand',
};

const callOf = (owner: PacedOwner, call: Partial<GroupCall>): GroupCall => ({
  organizationId: owner.organizationId,
  members: { from: sql`device d where d.organization_id = ${owner.organizationId}`, group: sql`''::text` },
  groups: [''],
  variable: 'temperature',
  timeZone: zone,
  perDevice: DeviceReduction.increase,
  combine: DeviceCombination.sum,
  split: GroupSplit.none,
  state: 'true',
  fill: GroupFill.none,
  maxAge: daySeconds,
  minDevices: 1,
  ...call,
});

const questionsOf = (from: number, to: number, end: number): Question[] => {
  // Midnights in Berlin, one or two hours before those of UTC.
  const midnight = (instant: number) => `date_trunc('day', to_timestamp(${instant}) + interval '12 hours', '${zone}')`;
  const local = { from: midnightBefore(from), to: midnightBefore(to) };
  const steps = (where: string, bucket: string) => `
    select ${bucket} as b, sum(greatest(v - high, 0)), count(distinct device_id) from (
      select device_id, ts, numbers[1] as v, lag(numbers[1]) over (partition by device_id order by ts, seq) as high
        from record where ${where}) s group by 1 order by 1`;
  const means = (where: string, bucket: string) => `
    select b, avg(v), count(*) from (select device_id, ${bucket} as b, avg(numbers[1]) as v from record where ${where} group by 1, 2) s group by 1 order by 1`;
  const within = `ts >= ${midnight(from)} - interval '1 day' and ts < ${midnight(to)}`;
  const byDay = `date_trunc('day', ts, '${zone}')`;
  return [
    {
      name: "consumption by day of the organization's zone",
      call: { ...local, calendarInterval: CalendarInterval.day },
      byHand: steps(within, byDay),
    },
    {
      name: 'consumption of the whole range as one number',
      call: local,
      byHand: steps(within, 'null'),
    },
    {
      name: 'means by day, as a spread',
      call: {
        ...local,
        calendarInterval: CalendarInterval.day,
        perDevice: DeviceReduction.avg,
        combine: DeviceCombination.spread,
      },
      byHand: means(within, byDay),
    },
    {
      name: 'consumption by day of another zone',
      call: { from, to, calendarInterval: CalendarInterval.day, timeZone: 'America/Los_Angeles' },
      byHand: steps(within, `date_trunc('day', ts, 'America/Los_Angeles')`),
    },
    {
      name: 'means of 200 devices in the last hours, by quarter',
      call: {
        from: end - 7 * hourSeconds,
        to: end,
        interval: 900,
        perDevice: DeviceReduction.avg,
        members: {
          from: sql`device d where d.id in (select id from device order by id limit 200)`,
          group: sql`''::text`,
        },
      },
      byHand: means(
        `ts >= to_timestamp(${end - 7 * hourSeconds}) and device_id in (select id from device order by id limit 200)`,
        `date_bin('15 min', ts, 'epoch')`,
      ),
    },
  ];
};

/** Returns the midnight of Berlin that is nearest to one of UTC, in Unix seconds. */
const midnightBefore = (utc: number): number => {
  const hours = Number(
    new Intl.DateTimeFormat('en', { timeZone: zone, hour: 'numeric', hour12: false }).format(utc * 1000),
  );
  return utc - (hours % 24) * hourSeconds;
};
