import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { begun, codeOf } from './live-world.js';
import { type Heard, overEvents, overSocket } from './subscriber.js';

const world = useWorld();

const query = `subscription ($organizationId: ID!, $applicationId: ID, $deviceIds: [ID!], $after: String) {
  commandUpdated(organizationId: $organizationId, applicationId: $applicationId, deviceIds: $deviceIds, after: $after) {
    cursor missed commands { id name state parameters detail device { serial } evidence { kind } } } }`;

const commands = ({ results }: Heard): any[] => results.flatMap(({ data }) => data?.['commandUpdated']?.commands ?? []);
const names = (heard: Heard) => commands(heard).map(({ name }) => name);

const declared = `mutation ($o: ID!, $p: ID!, $s: ProductSettingsInput!) {
  putProductSettings(organizationId: $o, productId: $p, settings: $s) { settings { commands { name } } } }`;

let owner: AccountActor;
let productId: string;
let count = 0;

beforeAll(async () => {
  owner = await world.organization();
  productId = await owner.make(`/organizations/${owner.id}/products`, { name: 'Lock', version: '1', variables: [] });
  const s = {
    commands: [
      ...['blink', 'beep', 'last'].map((name) => ({ name })),
      { name: 'unlock', parameters: [{ name: 'pin', type: 'TXT' }], secret: true },
    ],
  };
  const { body } = await owner.graph(declared, { o: owner.id, p: productId, s });
  expect(body.errors).toBeUndefined();
});

/** Creates an application with a device. */
async function stage() {
  const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Doors' });
  const serial = `c2-${String(++count).padStart(4, '0')}`;
  const deviceId = await owner.make(`/organizations/${owner.id}/devices/${serial}`, { product: { id: productId } });
  await owner.put(`/applications/${owner.id}/${applicationId}/devices/${deviceId}`);
  const path = `/devices/${owner.id}/${deviceId}`;
  return { applicationId, deviceId, serial, send: (body: object) => owner.make(`${path}/commands`, body), path };
}

/** Adds a member whose team has a permission on an application. */
async function memberOf(applicationId: string, permission: string) {
  const member = await world.member(owner, Role.member);
  const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Field' });
  await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
  await owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission });
  return { ...member, teamId };
}

const listen = async (token: string | undefined, variables: object = {}, way = overSocket) => {
  const subscriber = way(world.url, token, { query, variables: { organizationId: owner.id, ...variables } });
  await subscriber.until((heard) => begun(heard) || heard.over);
  return subscriber;
};

describe.each([
  ['a WebSocket', overSocket],
  ['server-sent events', overEvents],
])('commandUpdated over %s', (_way, way) => {
  it('sends a command when it is sent and when its state changes', async () => {
    const { deviceId, serial, send, path } = await stage();
    const subscriber = await listen(owner.token, { deviceIds: [deviceId] }, way);
    const id = await send({ name: 'blink' });
    await subscriber.until((heard) => commands(heard).length > 0);
    expect(commands(subscriber)).toMatchObject([{ id, state: 'waiting', device: { serial }, evidence: [] }]);
    await owner.get(`${path}/commands`);
    await subscriber.until((heard) => commands(heard).at(-1)?.state === 'handed');
    await owner.post(`${path}/commands/${id}/result`, { result: 7 });
    await subscriber.until((heard) => commands(heard).at(-1)?.state === 'answered');
    expect(commands(subscriber).at(-1)).toMatchObject({ id, evidence: [{ kind: 'handed' }, { kind: 'answered' }] });
    expect(new Set(commands(subscriber).map((command) => command.id))).toEqual(new Set([id]));
    subscriber.leave();
  });

  it('sends that a command failed because its device was deleted', async () => {
    const { applicationId, deviceId, send, path } = await stage();
    const subscriber = await listen(owner.token, {}, way);
    const id = await send({ name: 'last' });
    await owner.delete(`/applications/${owner.id}/${applicationId}/devices/${deviceId}`);
    await owner.delete(path);
    const own = () => commands(subscriber).filter((command) => command.id === id);
    await subscriber.until(() => own().at(-1)?.state === 'failed');
    expect(own().at(-1)).toMatchObject({ device: null, evidence: [{ kind: 'failed' }] });
    subscriber.leave();
  });
});

describe('commandUpdated', () => {
  it('sends only commands to the devices of the application, and to the named devices', async () => {
    const [here, there] = [await stage(), await stage()];
    const [all, ofApplication, ofDevice] = [
      await listen(owner.token),
      await listen(owner.token, { applicationId: here.applicationId }),
      await listen(owner.token, { applicationId: here.applicationId, deviceIds: [here.deviceId] }),
    ];
    await there.send({ name: 'beep' });
    await all.until((heard) => names(heard).includes('beep'));
    await here.send({ name: 'blink' });
    for (const one of [all, ofApplication, ofDevice]) await one.until((heard) => names(heard).includes('blink'));
    expect(names(ofApplication)).toEqual(['blink']);
    expect(names(ofDevice)).toEqual(['blink']);
    for (const one of [all, ofApplication, ofDevice]) one.leave();
  });

  it('sends members commands to readable devices, and secret parameters only to those who may send them', async () => {
    const [here, hidden] = [await stage(), await stage()];
    const reader = await listen((await memberOf(here.applicationId, 'read')).token);
    const writer = await listen((await memberOf(here.applicationId, 'write')).token);
    await hidden.send({ name: 'beep' });
    await here.send({ name: 'unlock', parameters: { pin: '1234' } });
    for (const one of [reader, writer]) await one.until((heard) => names(heard).length > 0);
    await here.send({ name: 'last' });
    for (const one of [reader, writer]) await one.until((heard) => names(heard).includes('last'));
    expect(names(reader)).toEqual(['unlock', 'last']);
    expect(commands(reader)[0]).toMatchObject({ parameters: null });
    expect(names(writer)).toEqual(['unlock', 'last']);
    expect(commands(writer)[0]).toMatchObject({ parameters: { pin: '1234' } });
    for (const one of [reader, writer]) one.leave();
  });

  it('returns NOT_FOUND for applications and devices that the caller may not read', async () => {
    const [here, hidden] = [await stage(), await stage()];
    const { token } = await memberOf(here.applicationId, 'read');
    for (const variables of [
      { applicationId: hidden.applicationId },
      { deviceIds: [hidden.deviceId] },
      { deviceIds: [here.deviceId, 'none'] },
      { applicationId: here.applicationId, deviceIds: [hidden.deviceId] },
    ]) {
      const refused = await listen(token, variables);
      await refused.until(({ over }) => over);
      expect([variables, codeOf(refused)]).toEqual([variables, 'NOT_FOUND']);
    }
  });

  it('ends when the member may no longer read the application', async () => {
    const { applicationId } = await stage();
    const { token, teamId } = await memberOf(applicationId, 'read');
    const subscriber = await listen(token, { applicationId });
    await owner.delete(`/teams/${owner.id}/${teamId}/applications/${applicationId}`);
    await subscriber.until(({ over }) => over);
    expect(codeOf(subscriber)).toBe('NOT_FOUND');
  });

  it('resumes from a cursor', async () => {
    const { deviceId, send } = await stage();
    const first = await listen(owner.token, { deviceIds: [deviceId] });
    const { cursor } = first.results[0]!.data!['commandUpdated'];
    first.leave();
    const id = await send({ name: 'blink' });
    const next = await listen(owner.token, { deviceIds: [deviceId], after: cursor });
    await next.until((heard) => commands(heard).length > 0);
    expect(commands(next)).toMatchObject([{ id, state: 'waiting' }]);
    next.leave();
  });
});
