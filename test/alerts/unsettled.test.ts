import { beforeEach, describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { decideDue } from '#alerts/decide-due.js';
import { type AlertEvent, eventRows } from '#alerts/event.js';
import { transaction } from '#database/transaction.js';
import { AccountType } from '#entities/enums.js';
import { setDisabled } from '#operator/account.js';
import { move, newChain } from '../graph/sites.js';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let at: string;
let count = 0;

interface Episode {
  deviceId: string;
  openedBy?: object;
  openedState?: { name: string; desired: unknown; version: number; desiredAt: string }[];
  closedAt?: string;
  closedReason?: string;
}

beforeEach(async () => {
  owner = await world.organization();
  const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
  at = `/applications/${owner.id}/${applicationId}`;
});

const newDevice = async ({ isLinked = true, ...more }: { isLinked?: boolean; tags?: string[] } = {}) => {
  const id = await owner.make(`/organizations/${owner.id}/devices/a9-${++count}`, more);
  if (isLinked) await link(id);
  const path = `/devices/${owner.id}/${id}`;
  return {
    id,
    path,
    desire: (desired: object) => owner.put(`${path}/state`, { desired }),
    report: (reported: object) => owner.post(`${path}/state`, { reported }),
  };
};
const link = (id: string) => owner.put(`${at}/devices/${id}`);
const newRule = (more: object = {}) =>
  owner.make(`${at}/alert-rules`, { name: 'Not set', kind: 'unsettled', unsettledFor: 600, ...more });
const episodes = async () =>
  (await owner.get<Episode[]>(`${at}/episodes?limit=100`)).body.map(({ deviceId, closedReason = 'open' }) => [
    deviceId,
    closedReason,
  ]);

/** Decides what is due in a number of seconds, as the poll does then. */
const decideIn = (seconds: number) =>
  transaction(world.pool, (tx) => decideDue(tx, new Date(Date.now() + seconds * 1000), async () => undefined));

describe('an unsettled rule', () => {
  it('opens an episode once a desired value is not reported in time, and closes it once it settles', async () => {
    await newRule();
    const device = await newDevice();
    await device.desire({ setPoint: -22 });
    await decideIn(590);
    expect(await episodes()).toEqual([]);
    await decideIn(610);
    await device.report({ setPoint: -18 });
    const [episode] = (await owner.get<Episode[]>(`${at}/episodes`)).body;
    expect(episode).toMatchObject({
      deviceId: device.id,
      openedState: [{ name: 'setPoint', desired: -22, version: 1, desiredAt: expect.stringMatching(/Z$/) }],
    });
    expect(episode).not.toHaveProperty('openedBy');
    expect(await episodes()).toEqual([[device.id, 'open']]);
    await device.report({ setPoint: -22 });
    expect(await episodes()).toEqual([[device.id, 'settled']]);
    await decideIn(5000);
    expect(await episodes()).toHaveLength(1);
  });

  it('opens by the poll of the service', async () => {
    await newRule();
    const device = await newDevice();
    await device.desire({ setPoint: -22 });
    await world.pool.query(sql`
      update alert_state set since = since - interval '11 min', due_at = due_at - interval '11 min' where device_id = ${device.id}`);
    await until(async () => (await episodes()).length === 1);
    expect(await episodes()).toEqual([[device.id, 'open']]);
  });

  it('calls hooks with what was not reported', async () => {
    await newRule();
    const device = await newDevice();
    await device.desire({ setPoint: -22 });
    const events: AlertEvent[] = [];
    await transaction(world.pool, (tx) =>
      decideDue(tx, new Date(Date.now() + 700_000), async (_, transitions) => {
        const own = transitions.filter(({ watch }) => watch.organizationId === owner.id);
        events.push(
          ...(await eventRows(
            tx,
            'alert.opened',
            own.map(({ episodeId }) => episodeId),
          )),
        );
        return undefined;
      }),
    );
    expect(events).toMatchObject([
      { payload: { episode: { openedState: [{ name: 'setPoint', desired: -22, desiredAt: expect.any(Number) }] } } },
    ]);
  });

  it('opens no episode for a value that is reported in time, taken away in time, or settled from the start', async () => {
    await newRule();
    const devices = await Promise.all([newDevice(), newDevice(), newDevice()]);
    const [reporting, without, settled] = devices as [Device, Device, Device];
    await reporting.desire({ a: 1 });
    await reporting.report({ a: 1 });
    await without.desire({ a: 1 });
    await without.desire({ a: null });
    await settled.report({ a: 1 });
    await settled.desire({ a: 1 });
    await decideIn(10_000);
    expect(await episodes()).toEqual([]);
  });

  it('counts from the oldest value that is not reported, and closes when nothing is left', async () => {
    await newRule();
    const device = await newDevice();
    await device.desire({ a: 1 });
    await world.pool.query(
      sql`update device_state set desired_at = desired_at - interval '5 min' where device_id = ${device.id}`,
    );
    await device.desire({ b: 1 });
    await device.report({ a: 1 });
    await decideIn(500);
    expect(await episodes()).toEqual([]);
    await decideIn(610);
    await device.desire({ c: 3 });
    await device.report({ b: 1 });
    expect(await episodes()).toEqual([[device.id, 'open']]);
    await device.desire({ c: null });
    expect(await episodes()).toEqual([[device.id, 'settled']]);
  });

  it('starts its clock again with another desired value', async () => {
    await newRule();
    const device = await newDevice();
    await device.desire({ a: 1 });
    await world.pool.query(sql`
      with shifted as (update device_state set desired_at = desired_at - interval '9 min' where device_id = ${device.id})
      update alert_state set since = since - interval '9 min', started_at = started_at - interval '9 min',
             due_at = due_at - interval '9 min' where device_id = ${device.id}`);
    await device.desire({ a: 2 });
    await decideIn(500);
    expect(await episodes()).toEqual([]);
    await decideIn(610);
    expect(await episodes()).toHaveLength(1);
  });

  it('watches one name of the state if it has one', async () => {
    await newRule({ stateName: 'a' });
    const device = await newDevice();
    await device.desire({ b: 1 });
    await decideIn(700);
    expect(await episodes()).toEqual([]);
    await device.desire({ a: 1 });
    await decideIn(700);
    await device.report({ a: 1 });
    expect(await episodes()).toEqual([[device.id, 'settled']]);
  });

  it('counts from its own beginning, and from a link', async () => {
    const device = await newDevice();
    const linked = await newDevice({ isLinked: false });
    for (const each of [device, linked]) {
      await each.desire({ a: 1 });
      await world.pool.query(
        sql`update device_state set desired_at = desired_at - interval '1 h' where device_id = ${each.id}`,
      );
    }
    await newRule();
    await link(linked.id);
    await decideIn(590);
    expect(await episodes()).toEqual([]);
    await decideIn(610);
    expect(await episodes()).toHaveLength(2);
    await owner.delete(`${at}/devices/${linked.id}`);
    expect(await episodes()).toContainEqual([linked.id, 'unlinked']);
  });

  it('watches the devices of its products, tags and sites, also when these change', async () => {
    const [building, floor] = (await newChain(owner, 2)) as [string, string];
    await newRule({ tags: ['cold'], sites: [building] });
    const device = await newDevice({ tags: ['cold'] });
    await device.desire({ a: 1 });
    await decideIn(700);
    expect(await episodes()).toEqual([]);
    await move(owner, [device.id], floor);
    await decideIn(700);
    expect(await episodes()).toEqual([[device.id, 'open']]);
    await owner.put(device.path, { tags: [] });
    expect(await episodes()).toEqual([[device.id, 'moved']]);
  });

  it('closes its episodes when it is changed, and opens them again later', async () => {
    const rule = await newRule();
    const device = await newDevice();
    await device.desire({ a: 1 });
    await decideIn(700);
    await owner.put(`${at}/alert-rules/${rule}`, { name: 'Sooner', unsettledFor: 60 });
    expect(await episodes()).toEqual([[device.id, 'ruleChanged']]);
    await decideIn(70);
    expect(await episodes()).toContainEqual([device.id, 'open']);
  });

  it('opens nothing while the organization is disabled, and counts again from when it is enabled', async () => {
    await newRule();
    const device = await newDevice();
    await device.desire({ a: 1 });
    const disable = (disabled: boolean, when: Date) =>
      setDisabled(world.pool, AccountType.organization, owner.id, disabled, when);
    await disable(true, new Date());
    await decideIn(700);
    await disable(false, new Date(Date.now() + 1_000_000));
    await decideIn(1500);
    expect(await episodes()).toEqual([]);
    await decideIn(1610);
    expect(await episodes()).toHaveLength(1);
  });

  it('opens and closes one episode of each device, whatever happens at the same time', async () => {
    await newRule();
    const devices = await Promise.all(Array.from({ length: 24 }, () => newDevice()));
    await Promise.all(devices.map(({ desire }) => desire({ a: 1 })));
    const polls = Array.from({ length: 12 }, () => decideIn(700));
    await Promise.all([...polls, ...devices.map(({ report }, index) => index % 2 === 0 && report({ a: 1 }))]);
    await decideIn(700);
    const found = await episodes();
    const of = (id: string | undefined) => found.filter(([device]) => device === id).map(([, reason]) => reason);
    for (const [index, { id }] of devices.entries())
      if (index % 2 === 0) expect([[], ['settled']]).toContainEqual(of(id));
      else expect(of(id)).toEqual(['open']);
  });

  it('notices each device whose state is set while the rule is made or the device is linked', async () => {
    const devices = await Promise.all(
      Array.from({ length: 12 }, (_, index) => newDevice({ isLinked: index % 2 === 0 })),
    );
    await Promise.all([
      newRule(),
      ...devices.map(({ desire }) => desire({ a: 1 })),
      ...devices.filter((_, index) => index % 2 === 1).map(({ id }) => link(id)),
    ]);
    await decideIn(700);
    expect((await episodes()).map(([id]) => id).sort()).toEqual(devices.map(({ id }) => id).sort());
  });

  it.each<[string, object, string]>([
    ['without a time', { unsettledFor: null }, 'unsettledFor'],
    ['with too short a time', { unsettledFor: 59 }, 'unsettledFor'],
    ['with a field of silences', { silentFor: 60 }, 'silentFor'],
    ['with a condition', { when: { all: [{ variable: 't', operator: 'gt', value: 1 }] } }, 'when'],
    ['with a blank name', { stateName: ' ' }, 'stateName'],
  ])('gets 422 %s', async (_, more, path) => {
    const body = { name: 'R', kind: 'unsettled', unsettledFor: 600, ...more };
    expect(await owner.post(`${at}/alert-rules`, body)).toMatchObject({ status: 422, body: { errors: [{ path }] } });
  });

  it('keeps its fields to itself: another kind refuses them', async () => {
    const body = { name: 'R', kind: 'silence', silentFor: 60, stateName: 'a' };
    expect(await owner.post(`${at}/alert-rules`, body)).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'stateName' }] },
    });
  });

  it('warns of a name that neither a product nor a device has', async () => {
    const made = () =>
      owner.post<{ warnings?: string[] }>(`${at}/alert-rules`, {
        name: 'R',
        kind: 'unsettled',
        unsettledFor: 600,
        stateName: 'a',
      });
    const device = await newDevice();
    expect((await made()).body.warnings).toEqual([expect.stringContaining('`a`')]);
    await device.report({ a: 1 });
    expect((await made()).body).not.toHaveProperty('warnings');
  });

  it('previews the episodes that would be open now, and says that earlier ones are unknown', async () => {
    const [late, soon] = [await newDevice(), await newDevice()];
    for (const { desire } of [late, soon]) await desire({ a: 1 });
    await world.pool.query(
      sql`update device_state set desired_at = desired_at - interval '1 h' where device_id = ${late.id}`,
    );
    const preview = await owner.post(`${at}/alert-rules/preview`, { kind: 'unsettled', unsettledFor: 600 });
    expect(preview.body).toMatchObject({
      episodeCount: 1,
      devicesRead: 2,
      isComplete: false,
      incompleteReason: 'history',
      episodes: [{ deviceId: late.id }],
    });
  });
});

type Device = Awaited<ReturnType<typeof newDevice>>;
