import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Service } from '#app/app.js';
import { readConfig } from '#config/config.js';
import type { Client } from '../support/client.js';
import { runCommand } from '../support/command.js';
import { useDatabase } from '../support/database.js';
import { deleteIndices, recordIndexSettings } from '../support/record-index.js';
import { startTestService } from '../support/start-service.js';
import { createTenant, withDatabase } from '../support/tenant.js';
import { until } from '../support/until.js';
import { countDocuments, readDocuments } from './index-reader.js';
import { type Proxy, startProxy } from './proxy.js';

/** Maximum number of bytes that wait to be indexed. */
const journalMaxBytes = 400_000;

const database = useDatabase();
let proxy: Proxy;
let service: Service;
let owner: Client;
let organizationId: string;

/** Reaches the cluster through a proxy that the test can cut. */
const settings = () => ({
  ...recordIndexSettings(database.url),
  OPENSEARCH_URL: proxy.url,
});

beforeAll(async () => {
  proxy = await startProxy();
  const { cluster } = readConfig(settings());
  service = await startTestService(database.url, { config: { cluster: { ...cluster!, journalMaxBytes } } });
  ({ owner, id: organizationId } = await createTenant({ url: service.url, databaseUrl: database.url }));
  await owner.post(`/organizations/${organizationId}/devices/a1`);
});

afterAll(async () => {
  await service.close();
  await proxy.cut();
});

const post = (items: readonly object[]) =>
  owner.post<{ accepted: number; message?: string }>(
    `/organizations/${organizationId}/records`,
    items.map((item) => ({ serial: 'a1', ...item })),
  );

const waiting = () =>
  withDatabase({ url: service.url, databaseUrl: database.url }, async (db) => {
    const { rows } = await db.query<{ bytes: number }>(
      'select coalesce(sum(bytes), 0)::float8 as bytes from record_batch',
    );
    return rows[0]!.bytes;
  });

/** Returns how each index maps the devices of records. */
const mappingsOfDevices = async (prefix: string): Promise<unknown[]> => {
  const node = process.env['OPENSEARCH_URL']!.split(',')[0]!;
  const answer = await fetch(`${node}/${prefix}-records-*/_mapping`);
  const indices = (await answer.json()) as { [index: string]: { mappings: { properties: { d: unknown } } } };
  return Object.values(indices).map(({ mappings }) => mappings.properties.d);
};

describe('cluster that is unreachable', () => {
  it('stops ingestion only when too much waits, and holds every record once when it is back', async () => {
    expect((await post([{ data: { n: 0 } }])).status).toBe(200);
    await until(async () => (await waiting()) === 0);
    await proxy.cut();
    let stored = 1;
    const text = 'x'.repeat(500);
    for (let full = false; !full; ) {
      const answer = await post(Array.from({ length: 50 }, (_, n) => ({ data: { n, text } })));
      full = answer.status === 503;
      if (full) {
        expect(answer.headers.get('retry-after')).toBe('1');
        expect(answer.body.message).toBe(
          'Too many records wait to be indexed. They are safe; send yours again in a while.',
        );
      } else stored += answer.body.accepted;
    }
    expect(await waiting()).toBeGreaterThan(journalMaxBytes * 0.9);
    expect(await waiting()).toBeLessThan(journalMaxBytes * 1.5);
    await until(async () => {
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      return Number(/^ddp_index_bytes_behind (\d+)/m.exec(metrics)![1]) > 0;
    });
    await proxy.open();
    await until(async () => (await waiting()) === 0);
    await until(async () => (await post([{ data: { n: 1 } }])).status === 200);
    await until(async () => (await waiting()) === 0);
    expect(await countDocuments(database.url)).toBe(stored + 1);
  }, 120_000);

  it('delays a strict search by no more than the search timeout', async () => {
    const application = await owner.post<{ id: string }>(`/organizations/${organizationId}/applications`, {
      name: 'a',
    });
    await proxy.cut();
    expect((await post([{ data: { n: 2 } }])).status).toBe(200);
    const search = `/applications/${organizationId}/${application.body.id}/search`;
    const answer = await owner.post<{ message: string }>(search, {
      ts: { gte: 0, lte: 4e9 },
      queries: [{ products: [], size: 0 }],
    });
    expect(answer.status).toBe(503);
    expect(answer.body.message).toMatch(/^(The index is behind what was stored|The service cannot reach the cluster)/);
    await proxy.open();
    await until(async () => (await waiting()) === 0);
  }, 120_000);

  it('receives the field mappings again when it returns without its indices', async () => {
    const node = process.env['OPENSEARCH_URL']!.split(',')[0]!;
    const { prefix } = readConfig(settings()).cluster!;
    await until(async () => (await waiting()) === 0);
    await proxy.cut();
    await deleteIndices(prefix);
    expect((await post([{ data: { n: 3, text: 'back' } }])).status).toBe(200);
    // Waits until the indexer has tried and failed. Its next request after the cluster returns would create the index
    // with default mappings.
    await until(async () => {
      const attempts = await withDatabase({ url: service.url, databaseUrl: database.url }, (db) =>
        db.query('select from record_batch where attempts > 0 and claim_id is null'),
      );
      return attempts.rows.length > 0;
    });
    await proxy.open();
    await until(async () => (await waiting()) === 0);
    expect(await mappingsOfDevices(prefix)).toEqual([{ type: 'keyword' }]);
    expect(await countDocuments(database.url)).toBe(1);
    // Deletes only the template, then stores a record of a month without an index.
    expect((await fetch(`${node}/_index_template/${prefix}-records-1`, { method: 'DELETE' })).status).toBe(200);
    expect((await post([{ ts: Date.UTC(2003, 0, 15) / 1000, data: { n: 4 } }])).status).toBe(200);
    await until(async () => (await waiting()) === 0);
    expect(await mappingsOfDevices(prefix)).toEqual([{ type: 'keyword' }, { type: 'keyword' }]);
  }, 120_000);

  it('causes dead letters for records that it refuses, until it accepts them', async () => {
    const node = process.env['OPENSEARCH_URL']!.split(',')[0]!;
    const { cluster } = readConfig(settings());
    const prefix = cluster!.prefix;
    // Creates a month's index in which a field has another type than ours.
    const index = `${node}/${prefix}-records-1-2001.01`;
    const mappings = { properties: { n1: { type: 'ip' }, n2: { type: 'ip' } } };
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(index, { method: 'PUT', headers, body: JSON.stringify({ mappings }) })).status).toBe(200);
    const before = await countDocuments(database.url);
    const ts = Date.UTC(2001, 0, 15) / 1000;
    expect((await post([{ ts, data: { n: 7.5 } }, { data: { n: 8 } }])).body.accepted).toBe(2);
    await until(async () => (await waiting()) === 0);
    expect(await countDocuments(database.url)).toBe(before + 1);
    const command = async (...args: readonly string[]) => {
      const { stdout } = await runCommand(['index', 'dead-letters', '--json', ...args], {
        DATABASE_URL: database.url,
        ...settings(),
      });
      return JSON.parse(stdout) as { indexed?: string; refused: string[] };
    };
    expect(await command()).toEqual({ refused: [expect.stringContaining('mapper_parsing_exception')] });
    expect(await command('--retry')).toMatchObject({ indexed: '0', refused: [expect.anything()] });
    await fetch(index, { method: 'DELETE' });
    expect(await command('--retry')).toEqual({ indexed: '1', refused: [] });
    expect(await countDocuments(database.url)).toBe(before + 2);
    const documents = await readDocuments(database.url);
    expect(documents.filter(({ _source }) => _source.src.includes('7.5'))).toHaveLength(1);
  }, 120_000);
});
