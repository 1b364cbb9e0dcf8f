import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { rollUp } from '../src/records/rollup.js';
import { progress } from './figures.js';
import { type BenchFleet, furnish, nextItem } from './fleet.js';
import { openStage, type Stage } from './stage.js';
import { stepOf, storeMillions } from './store-millions.js';

/** What is searched: 90 days of 200 devices of 20 products, all linked to one application. */
export interface SearchWorld {
  stage: Stage;
  fleet: BenchFleet;
  /** Identifiers of devices, and the product of each, in the order in which records take turns. */
  devices: readonly { id: string; productId: string }[];
  rows: number;
  /** Milliseconds since the epoch: the records are of the 90 days before. */
  until: number;
}

const deviceCount = 200;
const productCount = 20;

/** Where worlds are kept between runs, in a folder for each number of records and each state of the schema. */
const worlds = '/var/tmp/ddp-bench';

/** Opens the kept world of so many records; makes it, or what an interrupted run has left open of it, with a progress bar. */
export async function openWorld(rows: number, settings: Readonly<Record<string, string>> = {}): Promise<SearchWorld> {
  const folder = join(worlds, `search-${rows}-${await schemaKey()}`);
  const stage = await openStage({ SEARCH_TIMEOUT: '60s', ...settings }, folder);
  try {
    const { fleet, until } = await furnished(stage, join(folder, 'world.json'));
    await storeMillions(stage, rows, until);
    await rollUpAll(stage);
    const { rows: devices } = await stage.pool.query<{ id: string; productId: string }>(
      'select id, product_id as "productId" from device order by id',
    );
    return { stage, fleet, devices, rows, until };
  } catch (error) {
    await stage.close();
    throw error;
  }
}

/** The records of a world as documents of an engine, the oldest first: what {@link storeMillions} has stored. */
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

/** The devices and where they belong, which the first run makes. */
const furnished = async (stage: Stage, file: string): Promise<{ fleet: BenchFleet; until: number }> => {
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known !== undefined) return JSON.parse(known) as { fleet: BenchFleet; until: number };
  stdout.write(`  Making ${deviceCount} devices.\n`);
  const fleet = await furnish(stage, deviceCount, productCount);
  // The first record of a product gives its variables their places; it goes again.
  await stage.post(fleet.serials.slice(0, productCount).map(() => nextItem(fleet)));
  await stage.pool.query('truncate record, record_dirty, record_rollup, record_total, record_source, record_key');
  const until = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  await writeFile(file, JSON.stringify({ fleet, until }));
  return { fleet, until };
};

/** Makes the hourly rollups, as the service's upkeep would have. */
const rollUpAll = async ({ pool }: Stage): Promise<void> => {
  const { rows } = await pool.query<{ made: boolean }>('select exists (select from record_rollup) as made');
  if (!rows[0]?.made) {
    await pool.query(`
      insert into record_dirty (organization_id, product_id, hour)
      select distinct organization_id, product_id, date_trunc('hour', ts) from record order by 1, 2, 3`);
  }
  await pool.query('analyze record_dirty');
  const left = async () => {
    const found = await pool.query<{ count: number }>(sql`select count(*)::int as count from record_dirty`);
    return found.rows[0]!.count;
  };
  const all = await left();
  if (all === 0) return;
  stdout.write('  Rolling up hours.\n');
  for (let open = all; open > 0; open = await left()) {
    progress(all - open, all);
    // None where the service's own upkeep is at it.
    if ((await rollUp(pool, new Date(Date.now() + 86_400_000))) === 0) await delay(200);
  }
  progress(all, all);
  await pool.query('vacuum analyze record_rollup, record_total, record_source, record_dirty');
};

/** Says which schema a world is of. Worlds of others are deleted: nothing can use them any more. */
const schemaKey = async (): Promise<string> => {
  const folder = new URL('../migrations/', import.meta.url);
  const hash = createHash('sha256');
  for (const name of (await readdir(folder)).filter((one) => one.endsWith('.js')).sort()) {
    const text = await readFile(new URL(name, folder), 'utf8');
    if (/\brecord/.test(text)) hash.update(text);
  }
  const key = hash.digest('hex').slice(0, 12);
  for (const name of await readdir(worlds).catch(() => []))
    if (name.startsWith('search-') && !name.endsWith(key))
      await rm(join(worlds, name), { recursive: true, force: true });
  return key;
};
