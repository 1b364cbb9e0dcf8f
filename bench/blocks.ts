import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { createLog } from '#common/log.js';
import { dayMs, hourMs } from '#common/time.js';
import { openEmbedded } from '#database/embedded.js';
import { createPool } from '#database/pools.js';
import { prepareDatabase } from '#database/prepare.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import { rollUpDays } from '#records/postgres/upkeep/rollup-day.js';
import { summarize } from '#records/postgres/upkeep/summary.js';
import { rollupTables } from '../test/search/rollup-table.js';
import { measureBlocks } from './blocks-codec.js';
import { createFleet, type PacedFleet, pacedFleets, storeHour, storeLate } from './blocks-fleet.js';
import { measureQuestions } from './blocks-question.js';
import { spentBy } from './processor.js';

/**
 * Measures what a record costs beside its row: bytes of rollups by table, and processor time of upkeep, for fleets of
 * different pace; then the same of blocks made of the records, and of questions with rollups and with blocks. Upkeep runs after each hour and each day, as in a service.
 * `--days N` (2), `--only hourly,lorawan`, `--late N` (5) records that come late, one at a time.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      days: { type: 'string', default: '2' },
      only: { type: 'string', default: '' },
      late: { type: 'string', default: '5' },
    },
  });
  const only = values.only.split(',').filter((name) => name !== '');
  for (const fleet of pacedFleets)
    if (only.length === 0 || only.includes(fleet.name)) await measure(fleet, Number(values.days), Number(values.late));
}

/** Measures a fleet in a database of its own. */
const measure = async (fleet: PacedFleet, days: number, late: number): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'ddp-bench-'));
  const log = createLog('warn');
  const server = await openEmbedded({ dataDir: join(folder, 'data'), log, durable: true });
  await prepareDatabase(server.connectionString, log);
  const pool = createPool(server.connectionString, { max: 6, pipeline: true });
  try {
    await report(pool, fleet, days, late);
  } finally {
    await pool.end();
    await server.close();
    await rm(server.data, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  }
};

const report = async (pool: Pool, fleet: PacedFleet, days: number, late: number): Promise<void> => {
  const owner = await createFleet(pool, fleet);
  const costs = { hours: 0, days: 0, summaries: 0 };
  const begun = Math.floor(Date.now() / dayMs - days - 1) * dayMs;
  let records = 0;
  for (let at = begun; at < begun + days * dayMs; at += hourMs) {
    records += await storeHour(pool, fleet, owner, new Date(at));
    costs.hours += await spent(pool, rollUp);
    if ((at + hourMs) % dayMs !== 0) continue;
    costs.days += await spent(pool, rollUpDays);
    costs.summaries += await spent(pool, summarize);
  }
  const sizes = await sizesOf(pool, records);
  let again = 0;
  for (let index = 0; index < late; index++) {
    await storeLate(pool, owner, new Date(begun + ((index * 7) % (24 * days)) * hourMs));
    for (const work of [rollUp, rollUpDays, summarize]) again += await spent(pool, work);
  }
  stdout.write(`\n${fleet.name}: ${fleet.devices} devices, ${records.toLocaleString('en')} records\n`);
  const all = costs.hours + costs.days + costs.summaries;
  for (const [name, cost] of Object.entries({ ...costs, 'all upkeep': all }))
    stdout.write(`  ${name.padEnd(20)} ${(cost / records).toFixed(1).padStart(9)} us a record\n`);
  stdout.write(`  ${'a late record'.padEnd(20)} ${(again / late / 1000).toFixed(1).padStart(9)} ms\n`);
  for (const [name, bytes] of sizes)
    stdout.write(`  ${name.padEnd(20)} ${bytes.toFixed(1).padStart(9)} bytes a record\n`);
  await measureBlocks(pool, owner);
  await measureQuestions(pool, owner, { begun, days, records });
};

/** Runs a step of upkeep until nothing is due. Returns the processor time of it and the database, in microseconds. */
const spent = async (pool: Pool, step: (pool: Pool, now: Date) => Promise<number>): Promise<number> => {
  const later = new Date(Date.now() + 2 * dayMs);
  const before = await spentBy({ pool, pid: process.pid });
  while ((await step(pool, later)) > 0);
  const after = await spentBy({ pool, pid: process.pid });
  return after.database - before.database + after.service - before.service;
};

/** Returns the bytes of each table with its indexes, by record, after a vacuum. */
const sizesOf = async (pool: Pool, records: number): Promise<[name: string, bytes: number][]> => {
  const sizes: [string, number][] = [];
  for (const name of ['record', ...rollupTables]) {
    const { rows } = await pool.query<{ bytes: number }>(sql`
      select coalesce(sum(pg_total_relation_size(inhrelid)), 0)::float8 + pg_total_relation_size(${name}::regclass) as bytes
      from pg_inherits where inhparent = ${name}::regclass`);
    sizes.push([name, rows[0]!.bytes / records]);
  }
  return [...sizes, ['all rollups', sizes.slice(1).reduce((sum, [, bytes]) => sum + bytes, 0)]];
};
