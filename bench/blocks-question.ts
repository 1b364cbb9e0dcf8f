import { stdout } from 'node:process';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { dayMs, secondMs } from '#common/time.js';
import { fairQueueFor } from '#database/pool-queue.js';
import { newId } from '#entities/id.js';
import { locate, type PlainJson } from '#json/json.js';
import { makeDay } from '#records/postgres/blocks/make-day.js';
import { findFinishedDays } from '#records/postgres/blocks/noted-day.js';
import { createSearch } from '#records/postgres/search/postgres-search.js';
import type { Search } from '#records/record-index.js';
import { measureAlone } from './blocks-alone.js';
import type { PacedOwner } from './blocks-fleet.js';
import { spentBy } from './processor.js';

const stats = { s: { stats: { field: 'data.temperature' } }, h: { avg: { field: 'data.humidity' } } };
const daily = { date_histogram: { field: 'ts', calendar_interval: '1d' } };

interface Question {
  readonly query?: PlainJson;
  readonly aggs: PlainJson;
}

/** Questions that separate devices. */
const questions = (device: string): Record<string, Question> => ({
  'devices with stats': { aggs: { d: { terms: { field: 'device.id', size: 1000 }, aggs: stats } } },
  'devices by day': {
    aggs: { d: { terms: { field: 'device.id', size: 50 }, aggs: { y: { ...daily, aggs: stats } } } },
  },
  'a device by day': { query: { term: { 'device.id': device } }, aggs: { y: { ...daily, aggs: stats } } },
  'a device by hour': {
    query: { term: { 'device.id': device } },
    aggs: { y: { date_histogram: { field: 'ts', fixed_interval: '1h' }, aggs: stats } },
  },
  'devices by hour': {
    aggs: {
      y: { date_histogram: { field: 'ts', fixed_interval: '1h' }, aggs: { d: { terms: { field: 'device.id' } } } },
    },
  },
});

/** Tables of which blocks replace rows, and those that replace them. */
const tables = ['record_day', 'record_block', 'record_block_column', 'record_block_sum', 'record_seen'] as const;

/**
 * Makes the blocks of a fleet's days as the service does. Reports the bytes of what they replace, and the processor time
 * of questions, alternately with rollups by day, with sums of blocks, with decoded blocks and with rows.
 */
export const measureQuestions = async (
  pool: Pool,
  { organizationId, productId }: PacedOwner,
  { begun, days, records }: { begun: number; days: number; records: number },
): Promise<void> => {
  for (const table of ['record_block', 'record_block_column', 'record_block_sum'])
    await pool.query(`truncate ${table}`);
  const applicationId = newId();
  await pool.query(sql`
    insert into application (id, organization_id, name, slug, created_at, updated_at)
    values (${applicationId}, ${organizationId}, 'Field', 'field', now(), now())`);
  await pool.query(sql`
    insert into application_device (organization_id, application_id, device_id)
    select ${organizationId}, ${applicationId}, id from device where product_id = ${productId}`);
  const { rows: some } = await pool.query<{ id: string }>(
    sql`select id from device where product_id = ${productId} order by id offset 7 limit 1`,
  );
  await pool.query('create table day_kept as select * from record_day');
  const line = (name: string, texts: readonly string[]) =>
    stdout.write(`  ${name.padEnd(20)} ${texts.map((text) => text.padStart(9)).join(' ')}\n`);
  const before = await bytesOf(pool);
  const made = await spentBy({ pool, pid: process.pid });
  const later = new Date(Date.now() + 2 * dayMs);
  for (const day of await findFinishedDays(pool, later)) {
    const { outcome } = await makeDay(pool, day);
    if (outcome !== 'made') throw new Error(`A day is not made: ${outcome}.`);
  }
  const { database, service } = await spentBy({ pool, pid: process.pid });
  line('making in service', [((database - made.database + service - made.service) / records).toFixed(1), 'us']);
  await pool.query(`vacuum full analyze record_day, record_seen, record_total`);
  const after = await bytesOf(pool);
  line('bytes a record', ['rollups', 'blocks']);
  for (const [index, table] of tables.entries())
    line(
      table,
      [before, after].map((bytes) => (bytes[index]! / records).toFixed(1)),
    );
  const { rows: left } = await pool.query<{ days: number }>(
    'select count(*)::int as days from record_blocked where not apart',
  );
  line('days replaced', [`${left[0]!.days}`]);
  const searchWith = (sources: { rollups: boolean; blocks: boolean }) =>
    createSearch({ pool, queue: fairQueueFor(pool), clock: Date.now, timeoutMs: 60_000, ...sources });
  const [all, decoding, reading] = [true, false, false].map((rollups, index) =>
    searchWith({ rollups, blocks: index < 2 }),
  );
  const ways = [
    { name: 'rollups', search: all!, isReplaced: false },
    { name: 'sums', search: all!, isReplaced: true },
    { name: 'decoded', search: decoding!, isReplaced: true },
    { name: 'rows', search: reading!, isReplaced: true },
  ];
  const range = { gte: begun / secondMs, lte: (begun + days * dayMs) / secondMs };
  const ask = async (search: Search, question: Question): Promise<number> => {
    const from = await spentBy({ pool, pid: process.pid });
    for (let turn = 0; turn < repeated; turn++) {
      const { responses } = await search.prepare(
        locate(range),
        locate([{ products: [productId], size: 0, ...question } as PlainJson]),
      )({ organizationId, applicationId });
      if (responses[0]!.status !== 200) throw new Error(JSON.stringify(responses[0]));
    }
    const to = await spentBy({ pool, pid: process.pid });
    return (to.database - from.database + to.service - from.service) / repeated / 1000;
  };
  line('ms of processor time', [...ways.map(({ name }) => name), 'ratio']);
  for (const [name, question] of Object.entries(questions(some[0]!.id))) {
    const figures = ways.map(() => Number.POSITIVE_INFINITY);
    for (let turn = 0; turn < turns; turn++)
      for (const [index, { search, isReplaced }] of ways.entries()) {
        await pool.query('delete from record_day');
        if (!isReplaced) await pool.query('insert into record_day select * from day_kept');
        await pool.query(sql`update record_blocked set apart = ${!isReplaced}`);
        await pool.query('vacuum analyze record_day, record_blocked');
        await ask(search, question);
        figures[index] = Math.min(figures[index]!, await ask(search, question));
      }
    line(name, [...figures.map((figure) => figure.toFixed(1)), (figures[1]! / figures[0]!).toFixed(2)]);
  }
  await pool.query('drop table day_kept');
  await measureAlone(pool, { organizationId, productId, applicationId, device: some[0]!.id, begun, days, records });
};

/** Number of requests of one measurement, and of turns. */
const repeated = 5;
const turns = 2;

const bytesOf = async (pool: Pool): Promise<number[]> => {
  const bytes: number[] = [];
  for (const table of tables) {
    const { rows } = await pool.query<{ bytes: number }>(
      sql`select pg_total_relation_size(${table}::regclass)::float8 as bytes`,
    );
    bytes.push(rows[0]!.bytes);
  }
  return bytes;
};
