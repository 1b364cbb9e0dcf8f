import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { fine, type Receiver, startReceiver } from '../../hooks/receiver.js';
import type { Client } from '../../support/client.js';
import { describeIf } from '../../support/conditional.js';
import { useDatabase } from '../../support/database.js';
import { createTenant, withDatabase } from '../../support/tenant.js';
import { deliveryReport } from './delivery-report.js';
import { deliveredEvery, type Load, startLoad } from './load.js';
import { type Nodes, startNodes } from './nodes.js';
import { type ServiceProcess, startServiceProcess } from './service-process.js';

const home = process.env['OPENSEARCH_HOME'];
/** Records per second. */
const rate = Number(process.env['CLUSTER_LOAD'] ?? 2000);
/** Seconds for which a node is paused. */
const pauseLength = Number(process.env['CLUSTER_PAUSE'] ?? 60);
/** Seconds within which searches must return complete answers again. */
const recovery = Number(process.env['CLUSTER_RECOVERY'] ?? 10);

describeIf(home !== undefined, 'OPENSEARCH_HOME names no folder that starts a cluster')(
  'cluster of three nodes under load',
  () => {
    const database = useDatabase();
    const serials = Array.from({ length: 50 }, (_, index) => `f${index}`);
    let nodes: Nodes;
    let services: ServiceProcess[];
    let receiver: Receiver;
    let owner: Client;
    let organizationId: string;
    let applicationId: string;
    let load: Load;
    /** Numbers of the records that the hook has received so far. */
    const delivered = new Set<number>();

    beforeAll(async () => {
      nodes = await startNodes(home!, 3);
      const settings = {
        DATABASE_URL: database.url,
        SECRET_KEY: 'a key for tests',
        RECORD_INDEX: 'opensearch',
        OPENSEARCH_URL: nodes.url,
        OPENSEARCH_REPLICAS: '2',
        HOOK_ALLOW_CIDRS: '127.0.0.0/8',
        RATE_LIMIT: '0',
        LOG_LEVEL: 'error',
      };
      services = [await startServiceProcess(settings), await startServiceProcess(settings)];
      receiver = await startReceiver((response, call) => {
        delivered.add((JSON.parse(call.body) as { record: { data: { n: number } } }).record.data.n);
        fine(response, call);
      });
      const tenant = await createTenant({ url: services[0]!.url, databaseUrl: database.url });
      ({ owner, id: organizationId } = tenant);
      const variables = [
        { name: 'n', type: 'UINT32' },
        { name: 'wanted', type: 'BOOL' },
      ];
      const product = await owner.post<{ id: string }>(`/organizations/${organizationId}/products`, {
        name: 'Probe',
        version: '1',
        variables,
      });
      const application = await owner.post<{ id: string }>(`/organizations/${organizationId}/applications`, {
        name: 'Field',
      });
      applicationId = application.body.id;
      for (const serial of serials) {
        const device = await owner.post<{ id: string }>(`/organizations/${organizationId}/devices/${serial}`, {
          product: { id: product.body.id, organizationId },
        });
        await owner.put(`/applications/${organizationId}/${applicationId}/devices/${device.body.id}`);
      }
      const hooks = `/applications/${organizationId}/${applicationId}/hooks`;
      const hook = await owner.post<{ id: string }>(hooks, { url: receiver.url() });
      const filter = { query: { term: { 'data.wanted': true } } };
      const set = await owner.put(`${hooks}/${hook.body.id}/settings`, { filter });
      expect({ made: hook.status, set: set.status }).toEqual({ made: 200, set: 200 });
      load = startLoad({ services, organizationId, applicationId, token: owner.token!, serials, rate });
      await load.onward(10);
      await load.searchable();
    }, 300_000);

    afterAll(async () => {
      await load?.end();
      await Promise.all((services ?? []).map((service) => service.stop()));
      await receiver?.close();
      await nodes?.close();
    }, 120_000);

    /** Returns the seconds until searches return complete answers. The load continues meanwhile and afterwards. */
    const recovered = async (): Promise<number> => {
      const seconds = (await load.searchable()) / 1000;
      process.stderr.write(`  searches answered whole after ${seconds.toFixed(1)} s\n`);
      await load.onward(20);
      return seconds;
    };

    /** Returns the longer of two recovery times: after a node is killed, and after it is started again. */
    const withoutNode = async (node: number): Promise<number> => {
      await nodes.green();
      await nodes.kill(node);
      const away = await recovered();
      await nodes.start(node);
      return Math.max(away, await recovered());
    };

    it('recovers in time when its manager node is killed', async () => {
      expect(await withoutNode(await nodes.manager())).toBeLessThan(recovery);
    }, 600_000);

    it('recovers in time when another node is killed', async () => {
      const manager = await nodes.manager();
      expect(await withoutNode((manager % nodes.count) + 1)).toBeLessThan(recovery);
    }, 600_000);

    it(`recovers in time when a node is paused for ${pauseLength} s`, async () => {
      await nodes.green();
      const node = await nodes.manager();
      await nodes.pause(node);
      const away = await recovered();
      await pause(pauseLength * 1000);
      const later = await recovered();
      await nodes.resume(node);
      expect(Math.max(away, later, await recovered())).toBeLessThan(recovery);
    }, 600_000);

    it('recovers in time when the disk of a node is full', async () => {
      await nodes.green();
      const empty = await nodes.fill();
      const full = await recovered();
      await empty();
      expect(Math.max(full, await recovered())).toBeLessThan(recovery);
      // The cluster accepts writes again on its own, and the indexer continues.
      while (await nodes.isBlocked()) await pause(500);
      await load.indexed();
    }, 600_000);

    it('keeps its records when all nodes are killed and restarted during ingestion', async () => {
      await nodes.green();
      const all = Array.from({ length: nodes.count }, (_, index) => index + 1);
      await Promise.all(all.map((node) => nodes.kill(node)));
      await load.onward(20);
      await Promise.all(all.map((node) => nodes.start(node)));
      await nodes.green();
      expect(await recovered()).toBeLessThan(recovery);
    }, 600_000);

    it.each([0, 1])(
      'recovers in time when service process %i is killed',
      async (index) => {
        const service = services[index]!;
        await service.kill();
        const away = await recovered();
        await service.start();
        expect(Math.max(away, await recovered())).toBeLessThan(recovery);
      },
      600_000,
    );

    it('returns every acknowledged record exactly once, with all deliveries made', async () => {
      await load.end();
      await nodes.green();
      const found = await eventually(allFound, (numbers) => numbers.length >= load.acknowledged.size);
      const times = new Map<number, number>();
      for (const n of found) times.set(n, (times.get(n) ?? 0) + 1);
      const wrong = [...load.acknowledged].filter((n) => times.get(n) !== 1);
      const twice = [...times].filter(([, count]) => count > 1);
      expect({ wrong: wrong.slice(0, 10), twice: twice.slice(0, 10) }).toEqual({ wrong: [], twice: [] });
      const wanted = [...load.acknowledged].filter((n) => n % deliveredEvery === 0);
      const missing = await untilDelivered(wanted);
      if (missing.length > 0) process.stderr.write(`  ${JSON.stringify(await deliveryReport(database.url))}\n`);
      expect(missing.slice(0, 10)).toEqual([]);
      const { most, records } = (await deliveriesOf())!;
      expect(most).toBe(1);
      // A filter query that times out on a busy machine lets all records of its transaction through.
      expect(records).toBeGreaterThanOrEqual(wanted.length);
      const refused = [...load.refused.keys()].filter((status) => status !== 503 && status !== 429);
      expect(refused).toEqual([]);
      process.stderr.write(
        `  ${load.acknowledged.size} records, ${wanted.length} deliveries wanted, ${records} made\n`,
      );
    }, 900_000);

    /** Polls `ask` until `isWanted` holds, for at most five minutes, and returns the last answer. */
    const eventually = async <T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> => {
      const until = performance.now() + 300_000;
      for (;;) {
        const answer = await ask();
        if (isWanted(answer) || performance.now() > until) return answer;
        await pause(1000);
      }
    };

    /** Returns the numbers of all records that a search finds, page by page. */
    const allFound = async (): Promise<number[]> => {
      const found: number[] = [];
      for (let after: unknown; ; ) {
        const { body } = await owner.post<Page>(`/applications/${organizationId}/${applicationId}/search`, {
          ts: { gte: 0, lte: Date.now() / 1000 + 60 },
          queries: [
            {
              products: [],
              size: 1000,
              _source: ['data.n'],
              sort: [{ 'data.n': 'asc' }, { _doc: 'asc' }],
              ...(after !== undefined && { search_after: after }),
            },
          ],
        });
        const { hits } = body.responses[0]!.hits;
        if (hits.length === 0) return found;
        found.push(...hits.map(({ _source }) => _source.data.n));
        after = hits.at(-1)!.sort;
      }
    };

    /** Waits until all of these records are delivered, or nothing was for a minute. Returns the undelivered ones. */
    const untilDelivered = async (numbers: readonly number[]): Promise<readonly number[]> => {
      for (let [calls, since] = [0, performance.now()]; ; await pause(1000)) {
        const missing = numbers.filter((n) => !delivered.has(n));
        if (missing.length === 0 || performance.now() > since + 60_000) return missing;
        if (receiver.calls.length > calls) [calls, since] = [receiver.calls.length, performance.now()];
      }
    };

    /** Counts the records with deliveries, and returns the most deliveries of one record. */
    const deliveriesOf = () =>
      withDatabase({ url: '', databaseUrl: database.url }, async (db) => {
        const { rows } = await db.query<{ most: number; records: number }>(sql`
        select max(n)::int as most, count(*)::int as records
          from (select count(*) as n from delivery group by record_id) d`);
        return rows[0];
      });
  },
);

interface Page {
  responses: { hits: { hits: { _source: { data: { n: number } }; sort: unknown[] }[] } }[];
}
