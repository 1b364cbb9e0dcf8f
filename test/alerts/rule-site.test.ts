import { beforeEach, describe, expect, it } from '@jest/globals';
import { Organization } from '../cli/organization.js';
import { move, newChain } from '../graph/sites.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let application: string;
let applicationId: string;
let building: string;
let floor: string;
let room: string;
let inside: string;
let outside: string;

/** A building with a floor and a room, in which one of two linked devices is. */
beforeEach(async () => {
  owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  applicationId = await owner.make(`${at}/applications`, { name: 'A' });
  application = `/applications/${owner.id}/${applicationId}`;
  inside = await owner.make(`${at}/devices/a0-01`);
  outside = await owner.make(`${at}/devices/a0-02`);
  for (const id of [inside, outside]) await owner.put(`${application}/devices/${id}`);
  [building, floor, room] = (await newChain(owner, 3)) as [string, string, string];
  await move(owner, [inside], room);
});

const newRule = (more: object) => owner.make(`${application}/alert-rules`, { name: 'R', sites: [building], ...more });
const warm = { kind: 'threshold', when: { all: [{ variable: 'n', operator: 'gt', value: 7 }] } };
const quiet = { kind: 'silence', silentFor: 3600 };

const send = (n: number) =>
  owner.post(
    `/organizations/${owner.id}/records`,
    ['a0-01', 'a0-02'].map((serial) => ({ serial, data: { n } })),
  );
const episodes = async () =>
  (
    await world.pool.query<{ device: string; reason: string | null }>(
      'select device_id as device, closed_reason as reason from episode where organization_id = $1 order by id',
      [owner.id],
    )
  ).rows;
const watched = async (rule: string) =>
  (
    await world.pool.query<{ device: string }>('select device_id as device from alert_state where rule_id = $1', [rule])
  ).rows.map(({ device }) => device);
const put = (siteId: string, change: object) => owner.put(`/sites/${owner.id}/${siteId}`, { name: 'S', ...change });

describe('a threshold rule with a site', () => {
  it('watches the devices that are there, or below', async () => {
    await newRule(warm);
    await send(8);
    expect(await episodes()).toEqual([{ device: inside, reason: null }]);
  });

  it('keeps an episode when its device moves within the site, and closes it when it leaves', async () => {
    await newRule(warm);
    await send(8);
    await move(owner, [inside], floor);
    expect(await episodes()).toEqual([{ device: inside, reason: null }]);
    await move(owner, [inside], null);
    expect(await episodes()).toEqual([{ device: inside, reason: 'moved' }]);
    await send(9);
    expect(await episodes()).toHaveLength(1);
    await move(owner, [outside], floor);
    await send(9);
    expect(await episodes()).toEqual([
      { device: inside, reason: 'moved' },
      { device: outside, reason: null },
    ]);
  });

  it('closes an episode when the site of its device leaves the tree', async () => {
    await newRule(warm);
    await send(8);
    expect((await put(floor, { parentId: null })).status).toBe(200);
    expect(await episodes()).toEqual([{ device: inside, reason: 'moved' }]);
  });

  it('watches no device once its site is deleted', async () => {
    await newRule({ ...warm, sites: [room] });
    await send(8);
    expect((await owner.delete(`/sites/${owner.id}/${room}?contents=moveUp`)).status).toBe(204);
    expect(await episodes()).toEqual([{ device: inside, reason: 'moved' }]);
    await send(9);
    expect(await episodes()).toHaveLength(1);
  });

  it('decides again when its sites change, and tells them', async () => {
    const rule = await newRule(warm);
    await send(8);
    const path = `${application}/alert-rules/${rule}`;
    expect((await owner.put<{ sites: string[] }>(path, { name: 'R', sites: [] })).body.sites).toEqual([]);
    expect(await episodes()).toEqual([{ device: inside, reason: 'ruleChanged' }]);
    await send(9);
    expect((await episodes()).map(({ device }) => device).toSorted()).toEqual([inside, inside, outside].toSorted());
  });

  it('refuses a site that does not exist, or of another organization', async () => {
    const other = await world.organization();
    const [theirs] = await newChain(other, 1);
    for (const id of ['nothing', inside, theirs])
      expect((await owner.post(`${application}/alert-rules`, { name: 'R', ...warm, sites: [id] })).status).toBe(404);
  });

  it('previews the devices that are there', async () => {
    await send(8);
    const { body } = await owner.graph(
      `query ($o: ID!, $a: ID!, $s: [ID!]) {
        previewAlertRule(organizationId: $o, applicationId: $a, kind: threshold, sites: $s,
          when: { all: [{ variable: "n", operator: gt, value: 7 }] }) { episodes { deviceId } } }`,
      { o: owner.id, a: applicationId, s: [floor] },
    );
    expect(body.data!['previewAlertRule']).toEqual({ episodes: [{ deviceId: inside }] });
  });
});

describe('a silence rule with a site', () => {
  it('waits for the devices that are there now', async () => {
    const rule = await newRule(quiet);
    expect(await watched(rule)).toEqual([inside]);
    await move(owner, [outside], floor);
    expect((await watched(rule)).toSorted()).toEqual([inside, outside].toSorted());
    await move(owner, [inside], null);
    expect(await watched(rule)).toEqual([outside]);
    await put(floor, { parentId: null });
    expect(await watched(rule)).toEqual([]);
    await put(floor, { parentId: building });
    expect(await watched(rule)).toEqual([outside]);
  });

  it('does not begin again for a device that moves within the site', async () => {
    const rule = await newRule(quiet);
    const begun = async () =>
      (await world.pool.query('select started_at from alert_state where rule_id = $1', [rule])).rows;
    const before = await begun();
    await move(owner, [inside], floor);
    expect(await begun()).toEqual(before);
  });
});

describe('ddp apply of rules with sites', () => {
  it('names sites by their keys', async () => {
    const organization = new Organization(world.url, owner);
    await newRule(warm);
    const { applications, sites, ...rest } = await organization.export();
    const [rule] = Object.values((Object.values(applications)[0] as { alertRules: object }).alertRules);
    const [key] = (rule as { sites: string[] }).sites;
    expect(Object.keys(sites)).toContain(key);
    const copy = new Organization(world.url, await world.organization());
    const document = { ...rest, applications, sites };
    expect((await copy.apply(document, { dryRun: true })).faults).toEqual([]);
    expect((await copy.apply(document)).faults).toEqual([]);
    expect((await copy.apply(document)).lines).toEqual([]);
  });
});
