import { beforeAll, describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { newId } from '#entities/id.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

interface Scene {
  applicationId: string;
  deviceId: string;
  serial: string;
}

interface Episode {
  id: string;
  opened: number;
  closed: number | null;
  reason: string | null;
}

let owner: AccountActor;
beforeAll(async () => {
  owner = await world.organization();
});

const stage = async (): Promise<Scene> => {
  const serial = newId().slice(-12);
  const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
  const deviceId = await owner.make(`/organizations/${owner.id}/devices/${serial}`);
  return { applicationId, deviceId, serial };
};
const link = (at: Scene) => owner.put(`/applications/${owner.id}/${at.applicationId}/devices/${at.deviceId}`, {});

const addRule = ({ applicationId }: Scene, rule: object): Promise<string> =>
  owner.make(`/applications/${owner.id}/${applicationId}/alert-rules`, rule);
/** A rule that opens above 8 degrees and closes below 6. */
const addThreshold = (at: Scene, more: object = {}) =>
  addRule(at, {
    name: 'Too warm',
    kind: 'threshold',
    when: { all: [{ variable: 't', operator: 'gt', value: 8 }] },
    until: { all: [{ variable: 't', operator: 'lt', value: 6 }] },
    ...more,
  });
const addSilence = (at: Scene, more: object = {}) =>
  addRule(at, { name: 'Silent', kind: 'silence', silentFor: 60, ...more });
const send = async ({ serial }: Scene, ...points: [ts: number, t: number][]) => {
  const records = points.map(([ts, t]) => ({ serial, ts, data: { t } }));
  const answer = await owner.post(`/organizations/${owner.id}/records`, records);
  expect(answer.status).toBe(200);
};
const episodes = async ({ deviceId }: Scene): Promise<Episode[]> =>
  (
    await world.pool.query<Episode>(sql`
      select id, extract(epoch from opened_at)::float8 opened, extract(epoch from closed_at)::float8 closed, closed_reason reason
        from episode where device_id = ${deviceId} order by opened_at`)
  ).rows;
const until = async (at: Scene, reached: (all: Episode[]) => boolean): Promise<Episode[]> => {
  for (;;) {
    const all = await episodes(at);
    if (reached(all)) return all;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
const base = 1_700_000_000;

describe('threshold rule', () => {
  it('opens and closes an episode by records in order of their timestamps', async () => {
    const at = await stage();
    await link(at);
    await addThreshold(at);
    await send(at, [base + 3, 5], [base + 1, 9], [base + 2, 7]);
    expect(await episodes(at)).toMatchObject([{ opened: base + 1, closed: base + 3, reason: 'cleared' }]);
    await send(at, [base + 2, 20]);
    await send(at, [base + 4, 20]);
    expect(await episodes(at)).toMatchObject([{}, { opened: base + 4, closed: null }]);
  });

  it('opens one episode when batches of a device are posted concurrently', async () => {
    const at = await stage();
    await link(at);
    await addThreshold(at);
    await Promise.all(Array.from({ length: 20 }, () => send(at, [base + 1, 9])));
    expect(await episodes(at)).toMatchObject([{ opened: base + 1, closed: null }]);
  });

  it('closes the episode of a device that is unlinked', async () => {
    const at = await stage();
    await link(at);
    await addThreshold(at);
    await send(at, [base + 1, 9]);
    await owner.delete(`/applications/${owner.id}/${at.applicationId}/devices/${at.deviceId}`);
    expect(await episodes(at)).toMatchObject([{ opened: base + 1, reason: 'unlinked' }]);
  });

  it('sends alert.opened to a hook that chose this event, and no records', async () => {
    const at = await stage();
    await link(at);
    await addThreshold(at);
    const hookId = await owner.make(`/applications/${owner.id}/${at.applicationId}/hooks`, {
      url: 'http://127.0.0.1:9/',
    });
    await owner.put(`/applications/${owner.id}/${at.applicationId}/hooks/${hookId}/settings`, {
      events: ['alert.opened'],
    });
    await send(at, [base + 1, 9]);
    const { rows } = await world.pool.query(sql`select kind, payload from delivery where hook_id = ${hookId}`);
    const [episode] = await episodes(at);
    expect(rows).toMatchObject([
      {
        kind: 'alert.opened',
        payload: { episode: { id: episode!.id, openedAt: base + 1 }, device: { id: at.deviceId, serial: at.serial } },
      },
    ]);
  });

  it('opens by a query over the record and its device', async () => {
    const at = await stage();
    await link(at);
    const query = { bool: { filter: [{ range: { 'data.t': { gte: 8 } } }, { term: { 'device.serial': at.serial } }] } };
    await addThreshold(at, { when: { query }, until: null });
    await send(at, [base + 1, 9], [base + 2, 7]);
    expect(await episodes(at)).toMatchObject([{ opened: base + 1, closed: base + 2, reason: 'cleared' }]);
  });

  it('keeps its state when a record lacks the variable or has it in another type', async () => {
    const at = await stage();
    await link(at);
    await addThreshold(at);
    await send(at, [base + 1, 9]);
    await owner.post(`/organizations/${owner.id}/records`, { serial: at.serial, ts: base + 2, data: { other: 1 } });
    await owner.post(`/organizations/${owner.id}/records`, { serial: at.serial, ts: base + 3, data: { t: 'broken' } });
    expect(await episodes(at)).toMatchObject([{ closed: null }]);
  });

  it('opens once its condition has held for the time `for`, over several calls', async () => {
    const at = await stage();
    await link(at);
    await addThreshold(at, { for: 60 });
    await send(at, [base, 9]);
    await send(at, [base + 59, 9]);
    expect(await episodes(at)).toEqual([]);
    await send(at, [base + 60, 9]);
    expect(await episodes(at)).toMatchObject([{ opened: base + 60 }]);
  });

  it('closes an episode when no record arrives for `closeAfter`', async () => {
    const at = await stage();
    await link(at);
    await addThreshold(at, { closeAfter: 60 });
    await send(at, [base, 9]);
    await world.pool.query(sql`
      update alert_device set arrived_at = now() - interval '61 s' where device_id = ${at.deviceId}`);
    await world.pool.query(sql`
      update alert_state set started_at = now() - interval '61 s', due_at = now() - interval '1 s' where device_id = ${at.deviceId}`);
    const [episode] = await until(at, ([one]) => one?.closed != null);
    expect(episode).toMatchObject({ reason: 'recordsStopped' });
    await send(at, [base + 1, 9]);
    expect(await episodes(at)).toHaveLength(2);
  });

  it.each([
    ['tags', { tags: ['kept'] }, { tags: ['other'] }],
    ['products', undefined, { product: null }],
  ])('closes the episode of a device when its %s change, and opens none afterwards', async (field, rule, change) => {
    const at = await stage();
    await link(at);
    const product = { name: newId(), version: '1', variables: [] };
    const productId = await owner.make(`/organizations/${owner.id}/products`, product);
    const device = `/devices/${owner.id}/${at.deviceId}`;
    await owner.put(device, { tags: ['kept'], product: { id: productId } });
    await addThreshold(at, rule ?? { [field]: [productId] });
    await send(at, [base + 1, 9]);
    await owner.put(device, change);
    expect(await episodes(at)).toMatchObject([{ reason: 'moved' }]);
    await send(at, [base + 2, 9]);
    expect(await episodes(at)).toHaveLength(1);
  });

  it('ignores imported records', async () => {
    const at = await stage();
    await link(at);
    await addThreshold(at);
    const sent = await owner.request<{ id: string; state: string }>(
      'POST',
      `/organizations/${owner.id}/imports/records?dryRun=false`,
      { headers: { 'content-type': 'text/csv' }, body: `serial,ts,t\n${at.serial},${base},9` },
    );
    const path = `/organizations/${owner.id}/imports/${sent.body.id}`;
    while ((await owner.get<{ state: string }>(path)).body.state !== 'done');
    expect(await episodes(at)).toEqual([]);
  });

  it('sends only the last state of a batch to a hook, and stores every change as an episode', async () => {
    const at = await stage();
    await link(at);
    await addThreshold(at);
    const hooks = `/applications/${owner.id}/${at.applicationId}/hooks`;
    const hookId = await owner.make(hooks, { url: 'http://127.0.0.1:9/' });
    await owner.put(`${hooks}/${hookId}/settings`, { events: ['alert.opened', 'alert.closed'] });
    await send(at, [base, 9], [base + 1, 1], [base + 2, 9], [base + 3, 1], [base + 4, 9]);
    await send(at, [base + 5, 1], [base + 6, 9], [base + 7, 1]);
    expect(await episodes(at)).toHaveLength(4);
    const { rows } = await world.pool.query(sql`
      select kind, payload -> 'episode' ->> 'openedAt' opened from delivery where hook_id = ${hookId} order by id`);
    expect(rows).toEqual([
      { kind: 'alert.opened', opened: String(base + 4) },
      { kind: 'alert.closed', opened: String(base + 4) },
    ]);
  });
});

describe('silence rule', () => {
  /** Moves the clock of a device back by a minute, as if the device had been silent for that time. */
  const makeDue = async (at: Scene) => {
    await world.pool.query(sql`
      update alert_device set arrived_at = now() - interval '61 s' where device_id = ${at.deviceId}`);
    await world.pool.query(sql`
      update alert_state set started_at = now() - interval '61 s', arrived_at = arrived_at - interval '61 s',
             due_at = now() - interval '1 s' where device_id = ${at.deviceId}`);
  };

  it('opens for a linked device that never sent a record, and closes with its first record', async () => {
    const at = await stage();
    await addSilence(at);
    await link(at);
    await makeDue(at);
    await until(at, (all) => all.length === 1);
    await send(at, [base, 1]);
    expect(await episodes(at)).toMatchObject([{ reason: 'arrived' }]);
  });

  it('watches devices linked before the rule was created, and opens again after the rule is disabled and enabled', async () => {
    const at = await stage();
    await link(at);
    const ruleId = await addSilence(at);
    await makeDue(at);
    await until(at, (all) => all.length === 1);
    const rule = `/applications/${owner.id}/${at.applicationId}/alert-rules/${ruleId}`;
    await owner.put(rule, { name: 'Silent', disabled: true });
    expect(await episodes(at)).toMatchObject([{ reason: 'disabled' }]);
    await owner.put(rule, { name: 'Silent', disabled: false });
    await makeDue(at);
    await until(at, (all) => all.length === 2);
  });

  it('stays closed when a record arrives before the silence is due', async () => {
    const at = await stage();
    await addSilence(at);
    await link(at);
    await send(at, [base, 1]);
    await world.pool.query(sql`
      update alert_state set started_at = now() - interval '61 s', due_at = now() - interval '1 s' where device_id = ${at.deviceId}`);
    const isLater = sql`select from alert_state where device_id = ${at.deviceId} and due_at > now() + interval '30 s'`;
    while ((await world.pool.query(isLater)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await episodes(at)).toEqual([]);
  });

  it('opens on the silence of its variable while other variables arrive, and closes with that variable', async () => {
    const at = await stage();
    await addSilence(at, { variable: 'humidity' });
    await link(at);
    const record = (data: object) => owner.post(`/organizations/${owner.id}/records`, { serial: at.serial, data });
    await record({ humidity: 50 });
    await makeDue(at);
    await record({ t: 1 });
    await until(at, (all) => all.length === 1);
    await record({ t: 2 });
    expect(await episodes(at)).toMatchObject([{ closed: null }]);
    await record({ humidity: 51 });
    expect(await episodes(at)).toMatchObject([{ reason: 'arrived' }]);
  });
});
