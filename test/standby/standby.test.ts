import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../support/command.js';
import { until } from '../support/until.js';
import { nameOf, openReplicated, type ReplicatedWorld } from './replicated.js';

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
  const standby = nameOf(world.standbys[0]!);
  const before = [await reads(standby), await reads('primary')];
  await call();
  return { standby: (await reads(standby)) - before[0]!, primary: (await reads('primary')) - before[1]! };
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
    expect(await readsOf(() => organization.graph(series))).toEqual({ standby: 1, primary: 0 });
    const usage = `{ usage(organizationId: "${id}") { items { records } } }`;
    expect(await readsOf(() => organization.graph(usage))).toEqual({ standby: 1, primary: 0 });
    const deliveries = `/applications/${id}/${applicationId}/hooks/${hookId}/deliveries`;
    expect(await readsOf(() => organization.get(deliveries))).toEqual({ standby: 1, primary: 0 });
    const file = `/applications/${id}/${applicationId}/export?of=devices&format=ndjson`;
    expect((await readsOf(() => organization.get(file))).standby).toBeGreaterThan(0);
    expect(await readsOf(() => organization.get(`/applications/${id}/${applicationId}`))).toEqual({
      standby: 0,
      primary: 0,
    });
  });

  it('reads the answer of a mutation, and the queries of its batch, on the primary', async () => {
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

  it('reads on the primary while the standby lags, then on the standby again', async () => {
    const [standby] = world.standbys;
    await standby!.query('select pg_wal_replay_pause()');
    await store();
    expect(await world.count()).toBe(stored);
    expect(await readsOf(() => world.count())).toMatchObject({ primary: 1 });
    await until(async () => (await world.metric('ddp_standby_lag_seconds', nameOf(standby!))) > 0.1);
    await standby!.query('select pg_wal_replay_resume()');
    await world.used();
    expect(await readsOf(() => world.count())).toEqual({ standby: 1, primary: 0 });
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
      details: [expect.stringMatching(`^${nameOf(standby!)}: \\d+ ms behind$`)],
    });
  });

  it('fails no search and stays ready while the standby is killed and comes back', async () => {
    const [standby] = world.standbys;
    const counts: number[] = [];
    let isOver = false;
    const searching = (async () => {
      while (!isOver) counts.push(await world.count());
    })();
    await standby!.signal('SIGQUIT');
    await until(async () => (await world.metric('ddp_standby_away', nameOf(standby!))) === 1);
    expect((await fetch(`${world.service.url}/readyz`)).status).toBe(200);
    await standby!.start();
    await world.used();
    isOver = true;
    await searching;
    expect(new Set(counts)).toEqual(new Set([stored]));
  });
});
