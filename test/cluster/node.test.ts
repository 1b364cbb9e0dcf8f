import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Service } from '#app/app.js';
import { readConfig } from '#config/config.js';
import type { Client } from '../support/client.js';
import { useDatabase } from '../support/database.js';
import { recordIndexSettings } from '../support/record-index.js';
import { startTestService } from '../support/start-service.js';
import { createTenant, withDatabase } from '../support/tenant.js';
import { until } from '../support/until.js';
import { countDocuments } from './index-reader.js';
import { type Proxy, startProxy } from './proxy.js';

const database = useDatabase();
let proxy: Proxy;
let service: Service;
let owner: Client;
let organizationId: string;
let application: string;

const node = () => process.env['OPENSEARCH_URL']!.split(',')[0]!;

beforeAll(async () => {
  proxy = await startProxy();
  // Two addresses of one node, so that it is reachable by the second when the first hangs.
  const OPENSEARCH_URL = `${proxy.url},${node()}`;
  const { cluster } = readConfig({
    ...recordIndexSettings(database.url),
    OPENSEARCH_URL,
    SEARCH_FRESHNESS: 'eventual',
  });
  service = await startTestService(database.url, {
    config: { cluster: cluster!, search: { timeout: 30_000, rollups: true } },
  });
  ({ owner, id: organizationId } = await createTenant({ url: service.url, databaseUrl: database.url }));
  const device = await owner.post<{ id: string }>(`/organizations/${organizationId}/devices/a1`);
  const { body } = await owner.post<{ id: string }>(`/organizations/${organizationId}/applications`, { name: 'a' });
  application = `/applications/${organizationId}/${body.id}`;
  await owner.put(`${application}/devices/${device.body.id}`);
});

afterAll(async () => {
  await service.close();
  await proxy.cut();
});

const post = (n: number) => owner.post(`/organizations/${organizationId}/records`, [{ serial: 'a1', data: { n } }]);

/** Returns whether a search timed out, and how many records it found. */
const search = async () => {
  const { body, status } = await owner.post<{
    responses: { timed_out: boolean; hits?: { total: { value: number } } }[];
  }>(`${application}/search`, {
    ts: { gte: 0, lte: 4e9 },
    queries: [{ products: [], size: 0, track_total_hits: true }],
  });
  const [response] = body.responses ?? [];
  return { status, isLate: response?.timed_out, found: response?.hits?.total.value };
};

const counts = () =>
  withDatabase({ url: service.url, databaseUrl: database.url }, async (db) => {
    const { rows } = await db.query<{ waiting: number; refused: number }>(
      `select (select count(*)::int from record_batch) as waiting, (select count(*)::int from index_dead_letter) as refused`,
    );
    return rows[0]!;
  });

/** Counts open transactions that are idle. */
const idleTransactions = () =>
  withDatabase({ url: service.url, databaseUrl: database.url }, async (db) => {
    const { rows } = await db.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
    );
    return rows[0]!.n;
  });

describe('cluster node that hangs', () => {
  it('delays no search and holds no PostgreSQL connection: waiting and new searches go to another node', async () => {
    expect((await post(1)).status).toBe(200);
    await until(async () => (await search()).found === 1);
    proxy.hold(true);
    // The client alternates between the two addresses.
    let isOver = false;
    const waiting = Promise.all([search(), search(), search()]).finally(() => (isOver = true));
    const open: number[] = [];
    while (!isOver) open.push(await idleTransactions());
    for (const answers of [await waiting, [await search(), await search()]])
      for (const answer of answers) expect(answer).toEqual({ status: 200, isLate: false, found: 1 });
    expect(open.filter((count) => count === 0).length).toBeGreaterThan(open.length * 0.7);
    proxy.hold(false);
    expect(await search()).toEqual({ status: 200, isLate: false, found: 1 });
  }, 120_000);
});

describe('cluster with full disks', () => {
  const setBlock = async (isBlocked: boolean | null) => {
    const prefix = new URL(database.url).pathname.slice(1);
    // Sets the block that OpenSearch sets at its flood stage.
    const answer = await fetch(`${node()}/${prefix}-records-*/_settings`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ 'index.blocks.read_only_allow_delete': isBlocked }),
    });
    expect(answer.status).toBe(200);
  };

  it('leaves records waiting, refuses none, and holds each once when there is space again', async () => {
    expect((await post(2)).status).toBe(200);
    await until(async () => (await counts()).waiting === 0);
    const before = await countDocuments(database.url);
    await setBlock(true);
    for (const n of [3, 4, 5]) expect((await post(n)).status).toBe(200);
    const attempts = () =>
      withDatabase({ url: service.url, databaseUrl: database.url }, async (db) => {
        const { rows } = await db.query<{ most: number }>(
          'select coalesce(max(attempts), 0) as most from record_batch',
        );
        return rows[0]!.most;
      });
    await until(async () => (await attempts()) >= 2);
    expect((await counts()).refused).toBe(0);
    expect(await search()).toEqual({ status: 200, isLate: false, found: before });
    await setBlock(null);
    await until(async () => (await counts()).waiting === 0);
    expect(await counts()).toEqual({ waiting: 0, refused: 0 });
    expect(await countDocuments(database.url)).toBe(before + 3);
  }, 120_000);
});
