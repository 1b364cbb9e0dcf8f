import { stdout } from 'node:process';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { dayMs, secondMs } from '#common/time.js';
import { fairQueueFor } from '#database/pool-queue.js';
import { locate, type PlainJson } from '#json/json.js';
import { findDaysToFreeze, freezeDay } from '#records/postgres/blocks/freeze-day.js';
import { createSearch } from '#records/postgres/search/postgres-search.js';
import { shrinkPartitions } from '#records/postgres/upkeep/partition.js';
import { rollupTables } from '../test/search/rollup-table.js';
import { spentBy } from './processor.js';

/** A fleet whose days are in blocks, and the application of all its devices. */
interface AloneFleet {
  readonly organizationId: string;
  readonly productId: string;
  readonly applicationId: string;
  readonly device: string;
  /** Start of its first day in milliseconds, and number of its days and records. */
  readonly begun: number;
  readonly days: number;
  readonly records: number;
}

const hourly = {
  y: { date_histogram: { field: 'ts', fixed_interval: '1h' }, aggs: { t: { avg: { field: 'data.temperature' } } } },
};

const questions = ({ device, begun }: AloneFleet): Record<string, PlainJson> => ({
  'newest ten': { size: 10 },
  'newest ten of a device': { size: 10, query: { term: { 'device.id': device } } },
  'a day of a device': {
    size: 1440,
    query: {
      bool: {
        filter: [
          { term: { 'device.id': device } },
          { range: { ts: { gte: begun / secondMs, lt: (begun + dayMs) / secondMs } } },
        ],
      },
    },
  },
  'all by hour': { size: 0, aggs: hourly },
  'a device by hour': { size: 0, query: { term: { 'device.id': device } }, aggs: hourly },
  'number above': { size: 0, track_total_hits: true, query: { range: { 'data.temperature': { gt: 20 } } } },
  'undeclared above': { size: 0, track_total_hits: true, query: { range: { 'metadata.rssi': { gt: -75 } } } },
});

/** Deletes the rows of a fleet's days. Reports the bytes of all tables, and questions before and after. */
export const measureAlone = async (pool: Pool, fleet: AloneFleet): Promise<void> => {
  const line = (name: string, texts: readonly string[]) =>
    stdout.write(`  ${name.padEnd(24)} ${texts.map((text) => text.padStart(9)).join(' ')}\n`);
  const ask = await askerOf(pool, fleet);
  const asked = Object.entries(questions(fleet));
  const rows: number[] = [];
  for (const [, question] of asked) rows.push(await ask(question));
  const before = await bytesOf(pool);
  const spent = await spentBy({ pool, pid: process.pid });
  let frozen = 0;
  for (const day of await findDaysToFreeze(pool, new Date(Date.now() + dayMs)))
    if (await freezeDay(pool, day)) frozen++;
  const after = await spentBy({ pool, pid: process.pid });
  await pool.query('vacuum analyze');
  await shrinkPartitions(pool);
  line('days without rows', [`${frozen}`]);
  line('deleting rows', [((after.database - spent.database) / fleet.records).toFixed(1), 'us']);
  line('bytes a record', ['rows', 'alone']);
  const bytes = await bytesOf(pool);
  for (const [name, size] of before)
    line(
      name,
      [size, bytes.get(name)!].map((each) => (each / fleet.records).toFixed(1)),
    );
  line('ms of processor time', ['rows', 'alone', 'ratio']);
  for (const [index, [name, question]] of asked.entries()) {
    const alone = await ask(question);
    line(name, [rows[index]!.toFixed(1), alone.toFixed(1), (alone / rows[index]!).toFixed(2)]);
  }
};

/** Number of requests of one measurement. */
const repeated = 5;

/** Returns a function that asks a question, and returns the processor time of a request in milliseconds. */
const askerOf = async (pool: Pool, { organizationId, productId, applicationId, begun, days }: AloneFleet) => {
  const search = createSearch({ pool, queue: fairQueueFor(pool), clock: Date.now, timeoutMs: 60_000, blocks: true });
  const range = { gte: begun / secondMs, lte: (begun + days * dayMs) / secondMs };
  return async (question: PlainJson): Promise<number> => {
    const once = async () => {
      const { responses } = await search.prepare(
        locate(range),
        locate([{ products: [productId], ...(question as object) } as PlainJson]),
      )({ organizationId, applicationId });
      if (responses[0]!.status !== 200) throw new Error(JSON.stringify(responses[0]));
    };
    await once();
    const from = await spentBy({ pool, pid: process.pid });
    for (let turn = 0; turn < repeated; turn++) await once();
    const to = await spentBy({ pool, pid: process.pid });
    return (to.database - from.database + to.service - from.service) / repeated / 1000;
  };
};

const blockTables = ['record_block', 'record_block_column', 'record_block_sum', 'record_seen'] as const;

/** Returns the bytes of rows, rollups and blocks, with their indexes. */
export const bytesOf = async (pool: Pool): Promise<ReadonlyMap<string, number>> => {
  const sizeOf = async (names: readonly string[]) => {
    const { rows } = await pool.query<{ bytes: number }>(sql`
      select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
      where relname = any(${[...names]}) or oid in (select inhrelid from pg_inherits where inhparent::regclass::text = any(${[...names]}))`);
    return rows[0]!.bytes;
  };
  const sizes = new Map([
    ['record', await sizeOf(['record'])],
    ['rollups', await sizeOf(rollupTables)],
    ['blocks', await sizeOf(blockTables)],
  ]);
  return sizes.set(
    'all',
    [...sizes.values()].reduce((sum, size) => sum + size, 0),
  );
};
