import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Service } from '#app/app.js';
import { Client } from '../support/client.js';
import { runCommand } from '../support/command.js';
import { useDatabase } from '../support/database.js';
import { startTestService } from '../support/start-service.js';
import { createTenant, withDatabase } from '../support/tenant.js';
import { until } from '../support/until.js';
import { deleteIndices, readDocuments } from './index-reader.js';

const database = useDatabase();

const command = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await runCommand(['index', ...args, '--json'], {
    DATABASE_URL: database.url,
    OPENSEARCH_URL: process.env['OPENSEARCH_URL']!,
    OPENSEARCH_INDEX_PREFIX: new URL(database.url).pathname.slice(1),
    OPENSEARCH_REPLICAS: '0',
  });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, string>;
};

describe('move of records during ingestion', () => {
  const services: Service[] = [];
  const acknowledged: number[] = [];
  let over = false;

  /** Posts to the service that was started last, batch after batch. */
  const load = async (path: string, token: string): Promise<void> => {
    for (let next = 0; !over; next += 20) {
      const numbers = Array.from({ length: 20 }, (_, index) => next + index);
      const items = numbers.map((n) => ({ serial: 'a1', key: `${n}`, data: { n, level: `${n % 3}` } }));
      for (;;) {
        const client = new Client(`${services.at(-1)!.url}/ddp/v1`, token);
        const answer = await client.post(path, items).catch(() => undefined);
        if (answer?.status === 200) break;
      }
      acknowledged.push(...numbers);
      await pause(20);
    }
  };

  const onward = async () => {
    const wanted = acknowledged.length + 200;
    await until(() => Promise.resolve(acknowledged.length >= wanted));
  };

  const start = async (recordIndex: 'postgres' | 'opensearch') => {
    services.push(await startTestService(database.url, { config: { recordIndex } }));
    await onward();
    if (services.length > 1) await services.shift()!.close();
    await onward();
  };

  it('copies each record once to the cluster and back', async () => {
    services.push(await startTestService(database.url, { config: { recordIndex: 'postgres' } }));
    const service = { url: services[0]!.url, databaseUrl: database.url };
    const { id, owner } = await createTenant(service);
    const variables = [{ name: 'n', type: 'UINT32' }];
    const product = await owner.post<{ id: string }>(`/organizations/${id}/products`, {
      name: 'p',
      version: '1',
      variables,
    });
    await owner.post(`/organizations/${id}/devices/a1`, { product: { id: product.body.id, organizationId: id } });
    const running = load(`/organizations/${id}/records`, owner.token!);
    await onward();

    const before = acknowledged.length;
    const { compared } = await command('build');
    expect(compared).toMatch(/^\d+ records, the same in every hour$/);
    // The comparison includes the latest records.
    expect(Number.parseInt(compared!, 10)).toBeGreaterThanOrEqual(before);
    await start('opensearch');
    const moved = acknowledged.length;
    const indexed = async () => {
      const documents = await readDocuments(database.url);
      return documents
        .map(({ _source: { src } }) => (JSON.parse(src) as { data: { n: number } }).data.n)
        .sort(ascending);
    };
    const found = (count: number) =>
      until(async () => {
        const some = new Set(await indexed());
        return acknowledged.slice(0, count).every((n) => some.has(n));
      });
    await found(moved);

    // The cluster loses everything. The service then copies earlier records from PostgreSQL, and indexes the rest from
    // the journal.
    await deleteIndices(database.url);
    expect((await command('build'))['next']).toContain('ddp index repair');
    await command('repair');
    await found(acknowledged.length);

    expect(Number.parseInt((await command('drain'))['copied']!, 10)).toBeGreaterThanOrEqual(moved);
    await start('postgres');
    over = true;
    await running;
    const stored = () =>
      withDatabase(service, async (db) => {
        const { rows } = await db.query<{ n: number; typed: number; level: string }>(
          `select (data ->> 'n')::int as n, numbers[1] as typed, data ->> 'level' as level from public.record order by 1`,
        );
        return rows;
      });
    await until(async () => (await stored()).length >= acknowledged.length);
    expect(await stored()).toEqual(acknowledged.map((n) => ({ n, typed: n, level: `${n % 3}` })));
    const last = await indexed();
    expect(last).toEqual([...new Set(last)]);
    // The second move ignores the rows that the first one left in the journal.
    expect((await command('build'))['next']).toContain('set RECORD_INDEX=opensearch');
    await services[0]!.close();
  }, 240_000);

  it('refuses a build while records are in blocks alone', async () => {
    await withDatabase({ url: '', databaseUrl: database.url }, async (client) => {
      await client.query(
        `insert into record_blocked (source, day, n, made_at, alone) values (0, '2026-01-01', 1, now(), true)`,
      );
      await expect(command('build')).rejects.toThrow(
        /^The records of 1 days are in blocks alone.* run "ddp blocks drain", and build again\.$/m,
      );
      await client.query('delete from record_blocked where source = 0');
    });
  });

  it('does not resume a build that ends during a step', async () => {
    const service = await startTestService(database.url, { config: { recordIndex: 'opensearch' } });
    const [holder, watcher] = [new pg.Client(database.url), new pg.Client(database.url)];
    await Promise.all([holder.connect(), watcher.connect()]);
    const isWaiting = async () => {
      const { rowCount } = await watcher.query(`
        select from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%index_move%' and datname = current_database()`);
      return rowCount !== 0;
    };
    await holder.query(`begin; delete from index_move where name = 'build'`);
    await until(isWaiting);
    await holder.query('commit');
    await until(async () => !(await isWaiting()));
    await service.close();
    const { rows } = await holder.query(`select from index_move where name = 'build'`);
    expect(rows).toEqual([]);
    await Promise.all([holder.end(), watcher.end()]);
  });
});

const ascending = (one: number, other: number) => one - other;
