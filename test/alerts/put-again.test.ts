import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

let owner: AccountActor;
let at: string;
let deviceId: string;
let sent = 1_700_000_000;

beforeAll(async () => {
  owner = await world.organization();
  at = `/applications/${owner.id}/${await owner.make(`/organizations/${owner.id}/applications`, { name: 'Rooms' })}`;
  deviceId = await owner.make(`/organizations/${owner.id}/devices/a1`);
  await owner.put(`${at}/devices/${deviceId}`);
});

const send = (t: number, later = 1) =>
  owner.post(`/organizations/${owner.id}/records`, [{ serial: 'a1', ts: (sent += later), data: { t } }]);
const episodesOf = async (ruleId: string) =>
  (await owner.get<{ id: string; closedReason?: string }[]>(`${at}/episodes?alertRuleId=${ruleId}`)).body;
const above = { all: [{ variable: 't', operator: 'gt', value: 8 }] };
const matching = { query: { range: { 'data.t': { gt: 8, boost: 1 } } } };

describe('an update that sends the conditions as they are', () => {
  it.each([
    ['comparisons', { when: above, until: { all: [{ value: 6, operator: 'lt', variable: 't' }] } }],
    ['a query', { when: matching }],
    ['the number -0', { when: above, until: { all: [{ variable: 't', operator: 'lt', value: -0 }] } }],
  ])('keeps the open episode of a rule with %s', async (_what, conditions) => {
    const rule = { name: 'Warm', kind: 'threshold', tags: [], ...conditions };
    const ruleId = await owner.make(`${at}/alert-rules`, rule);
    await send(9);
    const open = await episodesOf(ruleId);
    expect(open).toHaveLength(1);
    const { body } = await owner.get<object>(`${at}/alert-rules/${ruleId}`);
    expect(await owner.put(`${at}/alert-rules/${ruleId}`, body)).toMatchObject({ status: 200 });
    expect(await owner.put(`${at}/alert-rules/${ruleId}`, { ...rule, name: 'Renamed' })).toMatchObject({ status: 200 });
    expect(await episodesOf(ruleId)).toEqual(open);
    expect(open[0]!.closedReason).toBeUndefined();
    await owner.delete(`${at}/alert-rules/${ruleId}`);
  });

  it('keeps the episode when products or tags come in another order, or twice', async () => {
    await owner.put(`/devices/${owner.id}/${deviceId}`, { tags: ['a', 'b'] });
    const rule = { name: 'Tagged', kind: 'threshold', tags: ['a', 'b'], when: above };
    const ruleId = await owner.make(`${at}/alert-rules`, rule);
    await send(9);
    await owner.put(`${at}/alert-rules/${ruleId}`, { ...rule, tags: ['b', 'a', 'a'] });
    expect(await episodesOf(ruleId)).toMatchObject([{ openedBy: { values: { t: 9 } } }]);
    expect((await episodesOf(ruleId))[0]).not.toHaveProperty('closedReason');
  });

  it('does not restart the time for which the condition holds', async () => {
    const rule = { name: 'Long', kind: 'threshold', when: above, for: 600 };
    const ruleId = await owner.make(`${at}/alert-rules`, rule);
    await send(9, 600);
    await owner.put(`${at}/alert-rules/${ruleId}`, rule);
    await send(9, 600);
    expect(await episodesOf(ruleId)).toHaveLength(1);
  });
});

describe('an update that sends stored JSON in another order of keys', () => {
  const eventsOf = async (action: string) =>
    (await owner.get<{ changes: object }[]>(`/organizations/${owner.id}/audit?action=${action}`)).body;

  it('changes neither a rule nor the filter of a hook', async () => {
    const query = { range: { 'data.t': { lt: 3, gt: 1, boost: 2 } } };
    const hook = `${at}/hooks/${await owner.make(`${at}/hooks`, { url: 'http://127.0.0.1:9/' })}/settings`;
    const ruleId = await owner.make(`${at}/alert-rules`, { name: 'Same', kind: 'threshold', when: { query } });
    const filter = { query, tags: ['a'], products: [] };
    await owner.put(hook, { filter });
    await owner.put(hook, { filter });
    const before = await owner.get<object>(`${at}/alert-rules/${ruleId}`);
    await owner.put(`${at}/alert-rules/${ruleId}`, { name: 'Same', when: { query } });
    expect((await owner.get<object>(`${at}/alert-rules/${ruleId}`)).body).toEqual(before.body);
    const events = await eventsOf('updateApplicationHookSettings');
    expect(events.map(({ changes }) => Object.keys(changes).length > 0)).toEqual([false, true]);
  });
});
