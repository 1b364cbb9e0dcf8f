import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { createLog } from '#common/log.js';
import { dayMs } from '#common/time.js';
import { openEmbedded } from '#database/embedded.js';
import { createPool } from '#database/pools.js';
import { findDaysToFreeze, freezeDay } from '#records/postgres/blocks/freeze-day.js';
import { makeDay } from '#records/postgres/blocks/make-day.js';
import { findFinishedDays } from '#records/postgres/blocks/noted-day.js';
import { shrinkPartitions } from '#records/postgres/upkeep/partition.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import { rollUpDays } from '#records/postgres/upkeep/rollup-day.js';
import { summarize } from '#records/postgres/upkeep/summary.js';
import { bytesOf } from './blocks-alone.js';
import { type BenchFleet, furnish } from './fleet.js';
import { spentBy } from './processor.js';
import { openStage, type Stage } from './stage.js';
import { batchesOf, type StoresData, variables } from './stores-data.js';
import { askAll, type StoreResult } from './stores-question.js';
import { callerOf } from './stores-rival.js';
import { askersOf } from './stores-search.js';

/** Records of one request, and requests at once, as in the bench of ingestion. */
const recordsAtOnce = 1000;
const clients = 4;

/**
 * Measures the service: records over HTTP, then upkeep, blocks of all days, and the deletion of their rows; then the
 * questions over HTTP.
 * @param keptDays number of the last days that keep their rows beside their blocks
 */
export const measureOurs = async (data: StoresData, turns: number, keptDays: number): Promise<StoreResult> => {
  const folder = await mkdtemp(join(tmpdir(), 'ddp-bench-'));
  const paths = [folder];
  try {
    const { fleet, stored } = await store(folder, data);
    const kept = await keep(folder, data, keptDays, paths);
    const stage = await openStage({ RECORD_BLOCKS: 'alone', SEARCH_TIMEOUT: '60s' }, folder);
    const { call, close } = callerOf(new URL(stage.base).origin, {
      authorization: `Bearer ${stage.token}`,
      'content-type': 'application/json',
    });
    try {
      const asked = await askAll(await askersOf(stage, call, fleet, data), () => sumOf(stage), turns);
      const per = (micros: number) => `${(micros / data.records).toFixed(2)} us`;
      const steps = [
        `storing, with what upkeep does meanwhile ${per(stored)}, upkeep ${per(kept.upkeep)}, blocks ${per(kept.blocks)}, deleting rows ${per(kept.deleting)}`,
        ...kept.sizes,
      ];
      const ingest = stored + kept.upkeep + kept.blocks + kept.deleting;
      return { name: 'this service', bytes: kept.bytes, ingest, steps, ...asked };
    } finally {
      await close();
      await stage.close();
    }
  } finally {
    for (const path of paths) await rm(path, { recursive: true, force: true });
  }
};

/** Returns the processor time of a service, or of this process, and of the database, in microseconds. */
const sumOf = async (of: Pick<Stage, 'pool' | 'pid'>): Promise<number> => {
  const { service, database } = await spentBy(of);
  return service + database;
};

/** Posts all records. Returns the fleet and the processor time of service and database. */
const store = async (folder: string, data: StoresData): Promise<{ fleet: BenchFleet; stored: number }> => {
  const stage = await openStage({}, folder);
  try {
    const fleet = await furnish(stage, data.devices.length, 1, variables);
    await stage.pool.query('create table bench_size as select pg_database_size(current_database()) as bytes');
    const from = await sumOf(stage);
    const batches = batchesOf(data, recordsAtOnce);
    const write = async () => {
      for (const batch of batches)
        await stage.post(
          batch.map(({ device, ts, values }) => ({
            serial: device,
            ts,
            data: Object.fromEntries(variables.map(({ name }, place) => [name, values[place]])),
          })),
        );
    };
    await Promise.all(Array.from({ length: clients }, write));
    return { fleet, stored: (await sumOf(stage)) - from };
  } finally {
    await stage.close();
  }
};

/** Processor time of steps in microseconds, and bytes. */
interface Kept {
  readonly upkeep: number;
  readonly blocks: number;
  readonly deleting: number;
  readonly bytes: number;
  readonly sizes: readonly string[];
}

/** Does what the service does in the days after the records: upkeep, blocks, and the deletion of rows. */
const keep = async (folder: string, data: StoresData, keptDays: number, paths: string[]): Promise<Kept> => {
  const server = await openEmbedded({ dataDir: join(folder, 'data'), log: createLog('warn'), durable: true });
  paths.push(server.data);
  const pool = createPool(server.connectionString, { max: 6, pipeline: true });
  const spend = async (work: () => Promise<void>): Promise<number> => {
    const from = await sumOf({ pool, pid: process.pid });
    await work();
    return (await sumOf({ pool, pid: process.pid })) - from;
  };
  const later = new Date(Date.now() + 2 * dayMs);
  try {
    const upkeep = await spend(async () => {
      for (const step of [rollUp, rollUpDays, summarize]) while ((await step(pool, later)) > 0);
    });
    await pool.query('vacuum analyze');
    const rows = await sizesOf(pool, 'before blocks', data.records);
    const blocks = await spend(async () => {
      for (const day of await findFinishedDays(pool, later)) {
        const { outcome } = await makeDay(pool, day);
        if (outcome !== 'made') throw new Error(`A day is not made: ${outcome}.`);
      }
    });
    const deleting = await spend(() => deleteRows(pool, later, data.begun / dayMs + data.days - keptDays));
    const alone = await sizesOf(pool, 'at the end', data.records);
    return { upkeep, blocks, deleting, bytes: alone.bytes, sizes: [rows.text, alone.text] };
  } finally {
    await pool.end();
    await server.close();
  }
};

/**
 * Deletes the rows of all days in blocks, and frees their space.
 * @param until first day that keeps its rows, in days since 1970
 */
const deleteRows = async (pool: Pool, later: Date, until: number): Promise<void> => {
  const next = async () => (await findDaysToFreeze(pool, later)).filter(({ day }) => day < until);
  for (let days = await next(); days.length > 0; days = await next())
    for (const day of days)
      if (!(await freezeDay(pool, day))) throw new Error('The rows of a day are not deleted: its records differ.');
  await pool.query('vacuum analyze');
  await shrinkPartitions(pool);
};

/** Returns by how many bytes the database has grown since it was empty, and a line with parts of it by record. */
const sizesOf = async (pool: Pool, name: string, records: number): Promise<{ bytes: number; text: string }> => {
  const { rows } = await pool.query<{ bytes: number }>(
    'select (pg_database_size(current_database()) - bytes)::float8 as bytes from bench_size',
  );
  const { bytes } = rows[0]!;
  const parts = [...(await bytesOf(pool))].filter(([part]) => part !== 'all');
  const texts = [...parts, ['database', bytes] as const].map(
    ([part, size]) => `${part} ${(size / records).toFixed(2)}`,
  );
  return { bytes, text: `${name}, bytes a record: ${texts.join(', ')}` };
};
