import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import type { Actor } from '../support/actor.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { type Assistant, connectAssistant } from './assistant.js';

const world = useWorld();

let owner: AccountActor;
let deviceId: string;
let path: string;
const open: Assistant[] = [];

const connect = async (actor: Actor): Promise<Assistant> => {
  const assistant = await connectAssistant(world.url, actor, 'modern');
  open.push(assistant);
  return assistant;
};

const declared = `mutation ($o: ID!, $p: ID!, $s: ProductSettingsInput!) {
  putProductSettings(organizationId: $o, productId: $p, settings: $s) { settings { commands { name } } } }`;

beforeAll(async () => {
  owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  const productId = await owner.make(`${at}/products`, { name: 'Lock', version: '1', variables: [] });
  const s = {
    commands: [
      { name: 'blink', parameters: [{ name: 'times', type: 'UINT8' }] },
      { name: 'unlock', parameters: [{ name: 'pin', type: 'TXT' }], secret: true },
    ],
    state: [{ name: 'volume', type: 'UINT8' }],
  };
  expect((await owner.graph(declared, { o: owner.id, p: productId, s })).body.errors).toBeUndefined();
  deviceId = await owner.make(`${at}/devices/d0-01`, { name: 'Door', product: { id: productId } });
  path = `/devices/${owner.id}/${deviceId}`;
});

afterAll(() => Promise.all(open.map(({ client }) => client.close())));

/** Creates a member whose team may read an application of the device. */
async function reader(): Promise<AccountActor> {
  const member = await world.member(owner, Role.member);
  const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Doors' });
  await owner.put(`/applications/${owner.id}/${applicationId}/devices/${deviceId}`);
  const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Readers' });
  await owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission: 'read' });
  await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
  return member;
}

describe('commands', () => {
  it('answers commands with their evidence, filters them, and shows secret ones only to those who may send them', async () => {
    const id = await owner.make(`${path}/commands`, { name: 'blink', parameters: { times: 3 } });
    await owner.make(`${path}/commands`, { name: 'unlock', parameters: { pin: '1234' } });
    await owner.post(`${path}/commands/${id}/result`, { result: { was: 'dark' } });
    const assistant = await connect(owner);
    const answered = await assistant.call('commands', { deviceId, state: 'answered' });
    expect(answered.data['commands']).toMatchObject([
      {
        id,
        deviceSerial: 'd0-01',
        deviceName: 'Door',
        name: 'blink',
        parameters: { times: 3 },
        state: 'answered',
        detail: { result: { was: 'dark' } },
        evidence: [{ source: 'device', kind: 'answered' }],
      },
    ]);
    const pins = async (actor: Actor) =>
      (await (await connect(actor)).call('commands', { name: 'unlock' })).data['commands'];
    expect(await pins(owner)).toMatchObject([{ secret: true, parameters: { pin: '1234' }, state: 'waiting' }]);
    expect(await pins(await reader())).toMatchObject([{ secret: true, parameters: null, payload: null }]);
    const pages = await assistant.callAll('commands', { limit: 1 });
    expect(pages.flatMap(({ data }) => data['commands'].map(({ name }: any) => name))).toEqual(['unlock', 'blink']);
  });

  it('shows a member no command to devices that its teams may not read', async () => {
    await owner.make(`${path}/commands`, { name: 'blink', parameters: { times: 1 } });
    const stranger = await connect(await world.member(owner, Role.member));
    expect((await stranger.call('commands')).data['commands']).toEqual([]);
    expect((await stranger.call('commands', { deviceId })).data).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });
});

describe('device_states', () => {
  it('answers desired and reported values, and whether they are settled', async () => {
    await owner.put(`${path}/state`, { desired: { volume: 7 } });
    const assistant = await connect(owner);
    const stateOf = async () =>
      (await assistant.call('device_states', { deviceIds: [deviceId] })).data['devices'][0].state;
    expect(await stateOf()).toMatchObject([{ name: 'volume', desired: 7, version: 1, reported: null, settled: false }]);
    await owner.post(`${path}/state`, { reported: { volume: 7, battery: 90 } });
    expect(await stateOf()).toMatchObject([
      { name: 'battery', desired: null, version: 0, reported: 90 },
      { name: 'volume', desired: 7, reported: 7, settled: true },
    ]);
  });
});
