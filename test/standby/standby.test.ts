import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startProxy } from '../cluster/proxy.js';
import { runCommand } from '../support/command.js';
import { startTestService } from '../support/start-service.js';
import { until } from '../support/until.js';
import { AccountActor } from '../support/world.js';
import { openReplicated, type ReplicatedWorld, serverAddress } from './replicated.js';

let world: ReplicatedWorld;
let stored = 0;
beforeAll(async () => {
  world = await openReplicated();
  await world.used();
});
afterAll(() => world.close());

const reads = (server: string) => world.metric('ddp_standby_reads_total', server);
const store = async () => {
  await world.store();
  stored += 1;
};

/** Calls, and returns by how many reads of the standby and of the primary the counts rose. */
async function readsOf(call: () => Promise<unknown>): Promise<{ standby: number; primary: number }> {
  const standby = serverAddress(world.standbys[0]!);
  const before = [await reads(standby), await reads('primary')];
  await call();
  return { standby: (await reads(standby)) - before[0]!, primary: (await reads('primary')) - before[1]! };
}

/** Calls as {@link readsOf}, and again where the standby lagged: it has 100 ms, then the primary answers. */
async function readsInTime(call: () => Promise<unknown>): Promise<{ standby: number; primary: number }> {
  for (let round = 1; ; round++) {
    await world.used();
    const counted = await readsOf(call);
    if (counted.primary === 0 || round === 20) return counted;
  }
}

describe('DATABASE_READ_URL', () => {
  it('reads on the standby what the caller has just stored', async () => {
    const found: number[] = [];
    const { standby } = await readsOf(async () => {
      for (let round = 0; round < 10; round++) {
        await store();
        found.push(await world.count());
      }
    });
    expect(found).toEqual(Array.from({ length: 10 }, (_, round) => stored - 9 + round));
    expect(standby).toBeGreaterThan(0);
  });

  it('reads series, exports, deliveries and usage there, and single things on the primary', async () => {
    const { organization, applicationId, hookId } = world;
    const id = organization.id;
    const series = `{ organization(organizationId: "${id}") { devices(limit: 1) { items { series(variables: ["value"]) { values } } } } }`;
    expect(await readsInTime(() => organization.graph(series))).toEqual({ standby: 1, primary: 0 });
    const usage = `{ usage(organizationId: "${id}") { items { records } } }`;
    expect(await readsInTime(() => organization.graph(usage))).toEqual({ standby: 1, primary: 0 });
    const deliveries = `/applications/${id}/${applicationId}/hooks/${hookId}/deliveries`;
    expect(await readsInTime(() => organization.get(deliveries))).toEqual({ standby: 1, primary: 0 });
    const file = `/applications/${id}/${applicationId}/export?of=devices&format=ndjson`;
    expect((await readsInTime(() => organization.get(file))).standby).toBeGreaterThan(0);
    expect(await readsInTime(() => organization.get(`/applications/${id}/${applicationId}`))).toEqual({
      standby: 0,
      primary: 0,
    });
  });

  it('reads on the primary what a mutation answers, and the queries of its batch', async () => {
    const { organization } = world;
    const usage = `usage(organizationId: "${organization.id}") { items { records } }`;
    const create = `mutation { createTeam(organizationId: "${organization.id}", name: "T") { id } }`;
    let answers: unknown;
    const { standby } = await readsOf(async () => {
      ({ body: answers } = await organization.postGraph([{ query: create }, { query: `{ ${usage} }` }]));
    });
    expect(answers).toMatchObject([
      { data: { createTeam: { id: expect.any(String) } } },
      { data: { usage: { items: expect.any(Array) } } },
    ]);
    expect(standby).toBe(0);
  });

  it('reads on the primary while the standby lags, and returns', async () => {
    const [standby] = world.standbys;
    await standby!.query('select pg_wal_replay_pause()');
    await store();
    expect(await world.count()).toBe(stored);
    expect(await readsOf(() => world.count())).toMatchObject({ primary: 1 });
    await until(async () => (await world.metric('ddp_standby_lag_seconds', serverAddress(standby!))) > 0.1);
    await standby!.query('select pg_wal_replay_resume()');
    expect(await readsInTime(() => world.count())).toEqual({ standby: 1, primary: 0 });
  });

  it('lets ddp doctor name the standby with its lag', async () => {
    const [standby] = world.standbys;
    const settings = {
      DATABASE_URL: world.primary.url,
      DATABASE_READ_URL: standby!.url,
      SECRET_KEY: 'a key for tests',
    };
    const { stdout } = await runCommand(['doctor', '--json'], settings);
    const { findings } = JSON.parse(stdout) as { findings: { check: string }[] };
    expect(findings.find(({ check }) => check === 'standbys')).toMatchObject({
      state: 'note',
      says: expect.stringContaining('hot_standby_feedback'),
      details: [expect.stringMatching(`^${serverAddress(standby!)}: \\d+ ms behind$`)],
    });
  });

  it('counts rows once if a read fails midway and is repeated on the primary', async () => {
    const { organization, deviceId, primary, standbys } = world;
    const serial = '00-00-00-00-00-00-00-01';
    const data = { text: 'x'.repeat(2000) };
    const records = Array.from({ length: 400 }, () => ({ serial, data }));
    expect((await organization.post(`/organizations/${organization.id}/records`, records)).status).toBe(200);
    stored += records.length;
    const proxy = await startProxy(standbys[0]!.url);
    const url = new URL(standbys[0]!.url);
    url.port = new URL(proxy.url).port;
    const most = 2 ** 20;
    const inFlight = { perProcess: 64 * most, perOrganization: most, perToken: most };
    const service = await startTestService(primary.url, { config: { databaseReadUrls: [url.href], inFlight } });
    try {
      await until(async () => (await service.registry.getSingleMetricAsString('ddp_standby_away')).includes('} 0'));
      const there = new AccountActor(service.url, world.token, organization.id);
      const list = `{ device(organizationId: "${organization.id}", deviceId: "${deviceId}") { records(limit: 400) { items { data } } } }`;
      expect((await there.graph(list)).body.errors).toBeUndefined();
      proxy.cutBeyond(600_000);
      // A call that the standby is too late for is answered by the primary at once.
      await until(async () => {
        expect((await there.graph(list)).body.errors).toBeUndefined();
        return (await world.metric('ddp_standby_repeated_total', url.host, service)) > 0;
      });
      expect(await world.metric('ddp_standby_repeated_total', url.host, service)).toBe(1);
    } finally {
      await service.close();
      await proxy.cut();
    }
  });

  it('fails no search and stays ready while the standby is killed and comes back', async () => {
    const [standby] = world.standbys;
    const counts: number[] = [];
    let isOver = false;
    const searching = (async () => {
      while (!isOver) counts.push(await world.count());
    })();
    await standby!.signal('SIGQUIT');
    await until(async () => (await world.metric('ddp_standby_away', serverAddress(standby!))) === 1);
    expect((await fetch(`${world.service.url}/readyz`)).status).toBe(200);
    await standby!.start();
    await world.used();
    isOver = true;
    await searching;
    expect(new Set(counts)).toEqual(new Set([stored]));
  });
});
