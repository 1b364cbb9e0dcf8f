import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { dayMs } from '#common/time.js';
import { transaction } from '#database/transaction.js';
import { findDaysToFreeze, freezeDay } from '#records/postgres/blocks/freeze-day.js';
import { makeDay, numberOwners } from '#records/postgres/blocks/make-day.js';
import { findFinishedDays } from '#records/postgres/blocks/noted-day.js';
import { shrinkPartitions } from '#records/postgres/upkeep/partition.js';
import { noteDays, rollUpDays } from '#records/postgres/upkeep/rollup-day.js';
import { noteSummaries, summarize } from '#records/postgres/upkeep/summary.js';
import { rollupTables } from '../test/search/rollup-table.js';
import { progress } from './figures.js';
import { type BenchFleet, furnish, nextItem } from './fleet.js';
import { copyDay } from './search-copy.js';
import { openStage, type Stage } from './stage.js';
import { stepOf, storeMillions, days as worldDays } from './store-millions.js';

/** The searched data: 90 days of 200 devices of 20 products, all linked to one application. */
export interface SearchWorld {
  stage: Stage;
  fleet: BenchFleet;
  /** Identifier and product of each device. Records are assigned to the devices in this order, in rotation. */
  devices: readonly { id: string; productId: string }[];
  rows: number;
  /** End of the records' 90 days, in milliseconds since the epoch. */
  until: number;
}

const deviceCount = 200;
const productCount = 20;

/**
 * Folder of the worlds kept between runs, with one subfolder per number of records. They are migrated like any
 * database.
 */
const worlds = '/var/tmp/ddp-bench';

/**
 * Form of a world's records: `rows`; `blocks` has all days but the last nine in blocks alone; `copies` has, too, and its
 * blocks are copies of those of one day.
 */
export type Keeping = 'rows' | 'blocks' | 'copies';

/**
 * Opens the kept world with this number of records. Creates it, or completes what an interrupted run has left, with a
 * progress bar.
 */
export async function openWorld(rows: number, keeping: Keeping = 'rows'): Promise<SearchWorld> {
  const blocks = keeping !== 'rows';
  const folder = join(worlds, `search-${rows}${blocks ? `-${keeping}` : ''}`);
  const stage = await openStage({ SEARCH_TIMEOUT: '60s', RECORD_BLOCKS: blocks ? 'on' : 'off' }, folder);
  try {
    const { fleet, until } = await furnished(stage, join(folder, 'world.json'));
    const copied = firstHotDay(until) - 1;
    await storeMillions(stage, rows, until, keeping === 'copies' ? copied * dayMs : 0);
    await rollUpAll(stage);
    while ((await rollUpDays(stage.pool, new Date(Date.now() + 2 * 86_400_000))) > 0);
    await summarizeAll(stage);
    if (blocks) await freezeAll(stage, until);
    if (keeping === 'copies') {
      await copyDay(stage.pool, copied, until / dayMs - worldDays);
      await summarizeAll(stage);
    }
    const { rows: devices } = await stage.pool.query<{ id: string; productId: string }>(
      'select id, product_id as "productId" from device order by id',
    );
    return { stage, fleet, devices, rows, until };
  } catch (error) {
    await stage.close();
    throw error;
  }
}

/** Removes a kept world, which must be closed. */
export const removeWorld = ({ rows }: SearchWorld): Promise<void> =>
  rm(join(worlds, `search-${rows}`), { recursive: true, force: true });

/**
 * Yields the records of a world as documents for an engine, the oldest first, equal to those that {@link storeMillions}
 * stored.
 */
export function* documentsOf({ devices, rows, until }: SearchWorld, from: number): Generator<object> {
  const step = stepOf(rows);
  for (let i = from; i < rows; i++) {
    const device = devices[i % devices.length]!;
    yield {
      ts: until - (rows - i) * step,
      device: { id: device.id, product: { id: device.productId } },
      metadata: { rssi: -60 - (i % 50), snr: (i % 20) / 2, provider: 'lora' },
      data: {
        temperature: 15 + ((i * 7919) % 1709) / 100,
        humidity: 40 + (i % 50),
        pressure: 1000 + ((i * 104_729) % 307) / 10,
        open: i % 2 === 0,
        status: (i * 31) % 97 < 14 ? 'error' : 'ok',
      },
    };
  }
}

/** Returns the devices and their products, which the first run creates. */
const furnished = async (stage: Stage, file: string): Promise<{ fleet: BenchFleet; until: number }> => {
  const saved = await readFile(file, 'utf8').catch(() => undefined);
  if (saved !== undefined) return JSON.parse(saved) as { fleet: BenchFleet; until: number };
  stdout.write(`  Making ${deviceCount} devices.\n`);
  const fleet = await furnish(stage, deviceCount, productCount);
  // The first record of a product assigns columns to its variables. The statement below deletes it.
  await stage.post(fleet.serials.slice(0, productCount).map(() => nextItem(fleet)));
  await stage.pool.query(
    `truncate record, record_key, record_dirty, record_dirty_day, record_dirty_summary, ${rollupTables.join()}`,
  );
  const until = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  await writeFile(file, JSON.stringify({ fleet, until }));
  return { fleet, until };
};

/**
 * Creates the hourly rollups, as the service's upkeep would, in one statement. It leaves out only the first and last
 * values, which no search reads.
 */
const rollUpAll = async ({ pool }: Stage): Promise<void> => {
  const { rowCount } = await pool.query('select from record_source limit 1');
  if (rowCount !== 0) return;
  stdout.write('  Rolling up hours.\n');
  await transaction(pool, async (tx) => {
    await tx.query(`set local work_mem = '512MB'`);
    await tx.query(sql`
      with hours as (
        select organization_id, product_id, device_id, date_trunc('hour', ts) as hour, count(*) as n, min(ts) as first_ts, max(ts) as last_ts,
          sum(numbers[1]) as s1, min(numbers[1]) as l1, max(numbers[1]) as h1, sum(numbers[1] * numbers[1]) as q1,
          sum(numbers[2]) as s2, min(numbers[2]) as l2, max(numbers[2]) as h2, sum(numbers[2] * numbers[2]) as q2,
          sum(numbers[3]) as s3, min(numbers[3]) as l3, max(numbers[3]) as h3, sum(numbers[3] * numbers[3]) as q3,
          sum(numbers[4]) as s4, min(numbers[4]) as l4, max(numbers[4]) as h4, sum(numbers[4] * numbers[4]) as q4
        from record group by 1, 2, 3, 4
      ), made as (
        insert into record_rollup (organization_id, product_id, device_id, slot, hour, n, sum, min, max, sum_squares, first_ts, last_ts)
        select organization_id, product_id, device_id, v.slot, hour, n, v.sum, v.min, v.max, v.squares, first_ts, last_ts
        from hours cross join lateral (values (0, null::float8, null::float8, null::float8, null::float8), (1, s1, l1, h1, q1), (2, s2, l2, h2, q2),
          (3, s3, l3, h3, q3), (4, s4, l4, h4, q4), (-1, null, null, null, null)) v (slot, sum, min, max, squares)
        order by hour, v.slot, device_id
        returning *
      ), totals as (
        insert into record_total (organization_id, product_id, slot, hour, n, sum, min, max, sum_squares)
        select organization_id, product_id, slot, hour, sum(n), sum(sum), min(min), max(max), sum(sum_squares)
        from made group by 1, 2, 3, 4
      )
      insert into record_source (organization_id, product_id, device_id)
      select distinct organization_id, product_id, device_id from made`);
    await tx.query(noteDays(sql`select organization_id, product_id, hour from record_total`));
    await tx.query(noteSummaries(sql`select organization_id, product_id, hour from record_total`));
  });
  await pool.query('vacuum analyze record_rollup, record_total, record_source, record_dirty');
};

/** Returns the first day that keeps its rows, in days since 1970. */
const firstHotDay = (until: number): number => Math.ceil(until / dayMs - 9);

/** Makes blocks of all finished days, and deletes the rows of those that end nine days before the last one. */
const freezeAll = async ({ pool }: Stage, until: number): Promise<void> => {
  const later = new Date(Date.now() + 2 * dayMs);
  await numberOwners(pool);
  const days = await findFinishedDays(pool, later);
  for (const [index, day] of days.entries()) {
    progress(index, days.length);
    // The service makes days, too.
    while ((await makeDay(pool, day)).outcome === 'busy') await setTimeout(100);
  }
  const next = async () => (await findDaysToFreeze(pool, later)).filter(({ day }) => day < firstHotDay(until));
  // One query finds some of the days.
  for (let old = await next(); old.length > 0; old = await next())
    for (const day of old) if (!(await freezeDay(pool, day))) throw new Error('The rows of a day are not deleted.');
  await pool.query('vacuum analyze');
  await shrinkPartitions(pool);
};

/** Reports the size of each kind of rollup on disk, indexes included, relative to the records. */
export const reportStorage = async ({ stage: { pool } }: SearchWorld): Promise<void> => {
  const { rows } = await pool.query<{ name: string; size: number; records: number }>(sql`
    select name, pg_total_relation_size(name::regclass)::float8 as size,
      (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'record'::regclass)::float8 as records
    from unnest(${[...rollupTables]}::text[]) t (name)`);
  const all = { name: 'all rollups', size: rows.reduce((sum, { size }) => sum + size, 0), records: rows[0]!.records };
  stdout.write('\nstorage\n');
  for (const { name, size, records } of [...rows, all])
    stdout.write(
      `  ${name.padEnd(20)} ${(size / 2 ** 20).toFixed(0).padStart(9)} MiB   ${((100 * size) / records).toFixed(1)} % of the records\n`,
    );
};

/** Counts records by value and builds digests and sketches, as the service's upkeep does. Reports the duration. */
const summarizeAll = async ({ pool }: Stage): Promise<void> => {
  const later = new Date(Date.now() + 2 * 86_400_000);
  const begun = performance.now();
  const left = async () =>
    (
      await pool.query<{ days: number }>(
        `select ((select count(*) from record_dirty_summary) + (select count(*) from record_summary where not sketched)
          + (select count(*) from record_summary where not in_week and day < date_trunc('week', now(), 'UTC')))::int as days`,
      )
    ).rows[0]!.days;
  const days = await left();
  if (days === 0) return;
  // The service also runs the two kinds of work one at a time.
  while ((await left()) > 0) if ((await summarize(pool, later)) === 0) await setTimeout(100);
  const seconds = (performance.now() - begun) / 1000;
  stdout.write(`  Summarized ${days} days of products in ${seconds.toFixed(1)} s.\n`);
  await pool.query(`vacuum analyze ${rollupTables.join()}, record_dirty_summary`);
};
