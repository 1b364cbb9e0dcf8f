import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Service } from '#app/app.js';
import type { Client } from '../support/client.js';
import { ended, runCommand, startCommand } from '../support/command.js';
import { useDatabase } from '../support/database.js';
import { startTestService } from '../support/start-service.js';
import { createTenant, withDatabase } from '../support/tenant.js';
import { deleteIndices, readDocuments } from './index-reader.js';

/** Several pages of a build (5,000) and of a drain (2,000), over 40 hours of two months. */
const records = 16_000;
const batchSize = 1000;
const first = Date.UTC(2026, 8, 30) / 1000;
/** Seconds between two records. */
const step = 9;
/** Number of times that a move is killed. */
const kills = 2;

const database = useDatabase();
let service: Service;
let owner: Client;
let organizationId: string;

beforeAll(async () => {
  service = await startTestService(database.url, { config: { recordIndex: 'postgres' } });
  ({ owner, id: organizationId } = await createTenant({ url: service.url, databaseUrl: database.url }));
  await owner.post(`/organizations/${organizationId}/devices/a1`);
  for (let start = 0; start < records; start += batchSize) {
    const items = Array.from({ length: batchSize }, (_, index) => {
      const n = start + index;
      return { serial: 'a1', ts: first + n * step, data: { n, level: `${n % 3}` } };
    });
    expect((await owner.post(`/organizations/${organizationId}/records`, items)).status).toBe(200);
  }
  // Moves the records back by an hour, since recent ones are copied in one go at the end.
  await query(`
    update public.record r
       set id = (lpad(to_hex(('x' || left(i.digits, 12))::bit(48)::bigint - 3600000), 12, '0') || substr(i.digits, 13))::uuid
      from (select id, replace(id::text, '-', '') as digits from public.record) i where i.id = r.id`);
}, 120_000);

afterAll(() => service.close());

const settings = () => ({
  DATABASE_URL: database.url,
  OPENSEARCH_URL: process.env['OPENSEARCH_URL']!,
  OPENSEARCH_INDEX_PREFIX: new URL(database.url).pathname.slice(1),
  OPENSEARCH_REPLICAS: '0',
});

const query = <Row extends object>(text: string): Promise<Row[]> =>
  withDatabase({ url: service.url, databaseUrl: database.url }, async (db) => (await db.query<Row>(text)).rows);

/** Starts a move and kills it `kills` times in the middle of a page, then lets it finish. */
const killed = (move: 'build' | 'drain'): Promise<Record<string, string>> =>
  withDatabase({ url: service.url, databaseUrl: database.url }, async (db) => {
    /** Returns the number of records copied so far. */
    const copied = async (): Promise<number> => {
      const { rows } = await db.query<{ done: number }>(
        `select (state ->> 'done')::int as done from index_move where name = '${move}' and state ->> 'phase' = 'copy'`,
      );
      return rows[0]?.done ?? 0;
    };
    for (let kill = 0, before = 0; kill < kills; kill++) {
      const child = startCommand(['index', move], settings());
      const end = ended(child);
      while ((await copied()) <= before && child.exitCode === null) await pause(1);
      child.kill('SIGKILL');
      expect(await end).toBeNull();
      // The move continues where it stopped.
      before = await copied();
      expect(before).toBeGreaterThan(0);
    }
    return run(move);
  });

/** Runs a move to its end. */
const run = async (move: 'build' | 'drain'): Promise<Record<string, string>> => {
  const { code, stdout, stderr } = await runCommand(['index', move, '--json'], settings());
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, string>;
};

const perHour = () =>
  query<{ hour: string; records: number }>(
    `select date_trunc('hour', ts) as hour, count(*)::int as records from public.record group by 1 order by 1`,
  );

/** Returns the numbers of the records on the cluster. */
const indexed = async (): Promise<number[]> => {
  const documents = await readDocuments(database.url);
  const found = documents.map(({ _source: { src } }) => (JSON.parse(src) as { data: { n: number } }).data.n);
  return found.sort((one, other) => one - other);
};

const all = Array.from({ length: records }, (_, n) => n);

describe(`move of records that is killed ${kills} times`, () => {
  it('copies every record once to the cluster, with equal counts in every hour', async () => {
    expect((await killed('build'))['compared']).toBe(`${records} records, the same in every hour`);
    expect(await indexed()).toEqual(all);
  }, 240_000);

  it('copies lost records again in the next build, after the cluster has lost a month or everything', async () => {
    expect(await run('build')).not.toHaveProperty('again');
    const ofOctober = records - (86_400 - (first % 86_400)) / step;
    for (const [lost, count] of [
      ['2026.10', ofOctober],
      ['*', records],
    ] as const) {
      await deleteIndices(database.url, lost);
      expect(await run('build')).toMatchObject({
        compared: `${records} records, the same in every hour`,
        again: `${count} records, which the cluster had lost`,
      });
      expect(await indexed()).toEqual(all);
    }
  }, 240_000);

  it('copies every record once back to PostgreSQL, with equal counts in every hour', async () => {
    const hours = await perHour();
    expect(hours.length).toBe((records * step) / 3600);
    const columns = `id, seq, organization_id, device_id, product_id, ts, metadata, data, numbers, texts`;
    await query(`create table copied as select ${columns} from public.record`);
    await query('truncate public.record');
    await killed('drain');
    expect(await perHour()).toEqual(hours);
    const [difference] = await query<{ missing: number; more: number; all: number }>(`
      select (select count(*)::int from (select ${columns} from copied except select ${columns} from public.record) m) as missing,
             (select count(*)::int from (select ${columns} from public.record except select ${columns} from copied) m) as more,
             (select count(*)::int from public.record) as all`);
    expect(difference).toEqual({ missing: 0, more: 0, all: records });
  }, 240_000);
});
