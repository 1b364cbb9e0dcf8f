import { globSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/client.js';
import { useService } from '../support/service.js';
import { createTenant, withDatabase } from '../support/tenant.js';

const service = useService({});
let owner: Client;
let organization: string;
let application: string;

beforeAll(async () => {
  const tenant = await createTenant(service);
  owner = tenant.owner;
  organization = `/organizations/${tenant.id}`;
  const { body } = await owner.post<{ id: string }>(`${organization}/applications`, { name: 'Fleet' });
  application = `/applications/${tenant.id}/${body.id}`;
  await owner.post(`${organization}/devices/ab-01`, {});
});

/** Returns metrics by name and labels. */
const scrape = async (): Promise<(name: string) => number | undefined> => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const figures = new Map(text.split('\n').map((line) => [line.replace(/ \S+$/, ''), Number(line.split(' ').at(-1))]));
  return (name) => figures.get(name);
};

describe('GET /metrics', () => {
  it('counts requests by method, route template and status, without path values', async () => {
    await owner.get(`${organization}/devices?limit=5`);
    await owner.get(`${organization}/devices?sort=colour`);
    await fetch(`${service.url}/nowhere/${organization}`);
    await fetch(`${service.url}/healthz`);
    const figure = await scrape();
    const count = (method: string, route: string, status: number) =>
      figure(`ddp_http_request_seconds_count{method="${method}",route="${route}",status="${status}"}`);
    expect(count('GET', '/ddp/v1/organizations/:organizationId/devices', 200)).toBe(1);
    expect(count('GET', '/ddp/v1/organizations/:organizationId/devices', 422)).toBe(1);
    expect(count('GET', 'none', 404)).toBe(1);
    expect(count('GET', '/healthz', 200)).toBe(1);
  });

  it('counts records, duplicates, rejections by code, and records per commit', async () => {
    const record = { serial: 'ab-01', key: 'a', data: { level: 1 } };
    await owner.post(`${organization}/records`, [record, { ...record, key: 'b' }, record, { ...record, serial: 'ff' }]);
    const uplink: unknown = JSON.parse(readFileSync('test/data/ingest/the-things-stack-uplink.json', 'utf8'));
    await owner.post(`${organization}/ingest/the-things-stack`, uplink);
    const figure = await scrape();
    expect(figure('ddp_ingest_records_total')).toBe(2);
    expect(figure('ddp_ingest_duplicates_total')).toBe(1);
    expect(figure('ddp_ingest_rejected_total{code="UNKNOWN_DEVICE"}')).toBe(2);
    expect(figure('ddp_ingest_group_calls_count')).toBe(2);
    expect(figure('ddp_ingest_group_records_sum')).toBe(2);
    expect(figure('ddp_ingest_seconds_count')).toBe(2);
  });

  it('counts search queries by outcome, and observes the duration of calls', async () => {
    const queries = [{ products: [] }, { products: [], query: { foo: {} } }];
    await owner.post(`${application}/search`, { ts: { gte: 1.7e9, lte: 4e9 }, queries });
    const figure = await scrape();
    expect(figure('ddp_search_queries_total{outcome="ok"}')).toBe(1);
    expect(figure('ddp_search_queries_total{outcome="refused"}')).toBe(1);
    expect(figure('ddp_search_seconds_count')).toBe(1);
    expect(figure('ddp_search_waiting')).toBe(0);
  });

  it('counts GraphQL operations by kind, including cached queries', async () => {
    const ask = (query: string) =>
      fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
    await ask('{ account { id } }');
    await ask('{ account { id } }');
    await ask(`mutation { createTeam(organizationId: "${organization.split('/')[2]}", name: "T") { id } }`);
    await ask('{ nothing }');
    const figure = await scrape();
    const count = (kind: string) => figure(`ddp_graphql_operation_seconds_count{kind="${kind}"}`);
    expect([count('query'), count('mutation'), count('invalid')]).toEqual([2, 1, 1]);
  });

  it('reports pools, subscriptions, the event loop and the process', async () => {
    const figure = await scrape();
    for (const pool of ['main', 'orm', 'slow_read', 'store', 'slow_store', 'search', 'hooks', 'live', 'live_slow']) {
      expect(figure(`ddp_pool_connections{pool="${pool}",state="in_use"}`)).toBeGreaterThanOrEqual(0);
      expect(figure(`ddp_pool_waiting{pool="${pool}"}`)).toBeGreaterThanOrEqual(0);
    }
    for (const reader of ['read', 'access']) {
      expect(figure(`ddp_reader_statements_total{reader="${reader}"}`)).toBeGreaterThan(0);
      expect(figure(`ddp_reader_pending{reader="${reader}"}`)).toBe(0);
    }
    expect(figure('ddp_subscriptions')).toBe(0);
    expect(figure('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
    expect(figure('process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  it('counts a request whose caller left before the answer', async () => {
    const linked = (await owner.post<{ id: string }>(`${organization}/devices/ab-02`, {})).body;
    await owner.put(`${application}/devices/${linked.id}`);
    await withDatabase(service, async (db) => {
      await db.query('begin; lock table record in access exclusive mode');
      const gone = new AbortController();
      const body = JSON.stringify({ ts: { gte: 1.7e9, lte: 4e9 }, queries: [{ products: [] }] });
      const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
      const { signal } = gone;
      const asked = fetch(`${owner.base}${application}/search`, { method: 'POST', headers, body, signal });
      const waits = async () =>
        (
          await db.query(
            `select from pg_stat_activity
              where wait_event_type = 'Lock' and datname = current_database() and application_name = 'ddp search'`,
          )
        ).rowCount! > 0;
      const early = asked.then(
        () => true,
        () => true,
      );
      while (!(await waits())) expect(await Promise.race([early, setImmediate(false)])).toBe(false);
      gone.abort();
      await expect(asked).rejects.toThrow(/abort/i);
    });
    const route = '/ddp/v1/applications/:organizationId/:applicationId/search';
    const name = `ddp_http_request_seconds_count{method="POST",route="${route}",status="aborted"}`;
    let count: number | undefined;
    while (count === undefined) count = (await scrape())(name);
    expect(count).toBe(1);
  });
});

describe('docs/operations-metrics.md', () => {
  it('describes every metric that a process exports, on a cluster too', async () => {
    const page = await (await fetch(`${service.url}/metrics`)).text();
    const exported = [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
    const registering = globSync('src/**/*.ts')
      .map((path) => readFileSync(path, 'utf8'))
      .filter((text) => text.includes("'prom-client'"));
    const named = registering.flatMap((text) => [...text.matchAll(/'(ddp_\w+)'/g)].map(([, name]) => name!));
    expect(named).toContain('ddp_index_dead_letters');
    const documented = readFileSync('docs/operations-metrics.md', 'utf8');
    const isDocumented = (name: string) => /^(nodejs|process)_/.test(name) || documented.includes(`\`${name}\``);
    expect([...new Set([...exported, ...named])].filter((name) => !isDocumented(name))).toEqual([]);
  });
});
