import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { commandsOf, type Kind, newDeviceOf, ScriptedServer } from './network-world.js';

const world = useWorld();
const kinds: Kind[] = ['THE_THINGS_STACK', 'CHIRPSTACK'];
const applications = { THE_THINGS_STACK: 'pumps', CHIRPSTACK: '52f14cd4-c6f1-4fbd-8f87-4025e1d49242' };

let owner: AccountActor;
const servers = {} as Record<Kind, ScriptedServer>;
const serverIds = {} as Record<Kind, string>;

beforeAll(async () => {
  owner = await world.organization();
  for (const kind of kinds) {
    servers[kind] = await new ScriptedServer(kind).start();
    serverIds[kind] = await owner.make(`/organizations/${owner.id}/network-servers`, {
      kind,
      name: kind,
      address: servers[kind].receiver.url(''),
      application: applications[kind],
      apiKey: 'NNSXS.KEY',
    });
  }
});
afterAll(() => Promise.all(kinds.map((kind) => servers[kind].close())));
beforeEach(() => {
  for (const kind of kinds) Object.assign(servers[kind], { lists: true }).script.length = 0;
});

const device = (kind: Kind) => newDeviceOf(world, owner, servers[kind], applications[kind]);
const commands = () => commandsOf(owner);
/** Makes the next attempt of a device due now. */
const retry = (deviceId: string) =>
  world.pool.query('update command_push set next_attempt_at = clock_timestamp() where device_id = $1', [deviceId]);

describe.each(kinds)('a command through %s', (kind) => {
  it('goes to the server with its key, payload, port and confirmation, in order', async () => {
    const { send, serial } = await device(kind);
    const server = servers[kind];
    const before = server.taken.length;
    const sent = [];
    for (const payload of ['01', '0203', '04'])
      sent.push(await send(payload, { streamId: 10, confirmed: payload === '04' }));
    for (const id of sent) await commands().reaches(id, 'handed');
    const taken = server.taken.slice(before);
    expect(taken.map(({ payload, port, confirmed }) => [payload, port, confirmed])).toEqual([
      ['01', 10, false],
      ['0203', 10, false],
      ['04', 10, true],
    ]);
    const call = server.receiver.calls.at(-1)!;
    expect(call.headers.authorization).toBe('Bearer NNSXS.KEY');
    expect(call.path).toBe(
      kind === 'CHIRPSTACK'
        ? `/api/devices/${serial}/queue`
        : `/api/v3/as/applications/pumps/devices/eui-${serial}/down/push`,
    );
    if (kind === 'CHIRPSTACK') expect(Date.parse(taken[0]!.expiresAt!)).toBeGreaterThan(Date.now() + 86_000_000);
    else expect(taken[0]!.name).toBe(`ddp:command:${sent[0]}`);
    const [evidence] = await commands().evidence(sent[0]!);
    expect(evidence).toMatchObject({ source: 'service', kind: 'handed', detail: { networkServerId: serverIds[kind] } });
  });

  it.each([
    [401, 'API_KEY_REFUSED'],
    [403, 'API_KEY_RIGHTS'],
    [404, 'NOT_AT_NETWORK_SERVER'],
    [429, 'NETWORK_SERVER_BUSY'],
    [503, 'NETWORK_SERVER_FAILS'],
  ])('waits on after %i, with a code that says what to do, and is tried again', async (status, code) => {
    const { id: deviceId, send } = await device(kind);
    servers[kind].script.push(status);
    const id = await send('05');
    await until(async () => (await commands().evidence(id)).length > 0);
    expect(await commands().read(id)).toMatchObject({ state: 'waiting' });
    expect(await commands().evidence(id)).toMatchObject([
      { source: 'service', kind: 'noted', code, detail: { status, message: expect.stringContaining('scripted') } },
    ]);
    await retry(deviceId);
    await commands().reaches(id, 'handed');
  });

  it('expires while its server refuses it', async () => {
    const { id: deviceId, send } = await device(kind);
    servers[kind].script.push(403);
    const id = await send('06', { expiresAt: Date.now() / 1000 + 2 });
    await commands().reaches(id, 'expired');
    const { pushes } = servers[kind];
    await retry(deviceId);
    await until(
      async () =>
        (await world.pool.query('select from command_push where device_id = $1', [deviceId])).rows.length === 0,
    );
    expect(servers[kind].pushes).toBe(pushes);
  });

  it('becomes `unknown` when the connection ends without an answer, and does not go out twice', async () => {
    const { send } = await device(kind);
    const server = servers[kind];
    server.lists = false;
    const before = server.pushes;
    server.script.push((response, take) => {
      take();
      response.destroy();
    });
    const [id, next] = [await send('07'), await send('08')];
    await commands().reaches(next, 'handed');
    expect(await commands().read(id)).toMatchObject({ state: 'unknown', code: 'ANSWER_LOST' });
    expect(server.pushes - before).toBe(2);
  });

  it.each([
    ['no bytes that a frame can carry', { payload: '00'.repeat(243) }, 'PAYLOAD_SIZE'],
    ['a port that is not for applications', { payload: '00', streamId: 224 }, 'PORT'],
  ])('fails with %s, and the next one is sent', async (_title, content, code) => {
    const { send } = await device(kind);
    const { payload, ...more } = content as { payload: string; streamId?: number };
    const id = await send(payload, more);
    await commands().reaches(await send('09'), 'handed');
    expect(await commands().read(id)).toMatchObject({ state: 'failed', code });
  });
});

describe('a command whose push answer was lost', () => {
  it('becomes `handed` if the queue of The Things Stack has it', async () => {
    const { send } = await device('THE_THINGS_STACK');
    servers.THE_THINGS_STACK.script.push((response, take) => {
      take();
      response.destroy();
    });
    const id = await send('0a');
    await commands().reaches(id, 'handed');
    expect(await commands().evidence(id)).toHaveLength(1);
  });

  it('becomes `unknown` if it is not in the queue', async () => {
    const { send } = await device('THE_THINGS_STACK');
    servers.THE_THINGS_STACK.script.push((response) => void response.destroy());
    const id = await send('0b');
    await commands().reaches(id, 'unknown');
    expect(await commands().evidence(id)).toHaveLength(1);
  });

  it('becomes `unknown` after 504, which says that something behind it did not answer', async () => {
    const { send } = await device('CHIRPSTACK');
    servers.CHIRPSTACK.script.push(504);
    const id = await send('0c');
    await commands().reaches(id, 'unknown');
    expect(await commands().evidence(id)).toHaveLength(1);
  });
});

describe('a device without a network server', () => {
  it('gets its commands once an owner creates one, and over HTTP meanwhile', async () => {
    const other = await new ScriptedServer('THE_THINGS_STACK').start();
    const { id: deviceId, send } = await newDeviceOf(world, owner, other, 'cellar');
    const [first, second] = [await send('01'), await send('02')];
    const path = `/devices/${owner.id}/${deviceId}/commands`;
    const { body } = await owner.get<{ commands: { id: string }[] }>(`${path}?limit=1`);
    expect(body.commands.map(({ id }) => id)).toEqual([first]);
    expect((await owner.post(`${path}/${first}/result`, { result: 1 })).status).toBe(200);
    const address = other.receiver.url('');
    await owner.make(`/organizations/${owner.id}/network-servers`, {
      kind: other.kind,
      name: 'Cellar',
      address,
      application: 'cellar',
      apiKey: 'k',
    });
    await commands().reaches(second, 'handed');
    expect(other.taken.map(({ payload }) => payload)).toEqual(['02']);
    await other.close();
  });
});

describe('a network server that uplinks name', () => {
  const headers = {
    'x-downlink-push': 'http://127.0.0.1:9/api/v3/as/applications/attic/webhooks/w/devices/d/down/push',
    'x-downlink-apikey': 'NNSXS.PROPOSED',
  };
  const proposals = async () =>
    (
      await owner.get<{ id: string; proposed: boolean; address: string }[]>(
        `/organizations/${owner.id}/network-servers?limit=100`,
      )
    ).body.filter(({ proposed }) => proposed);

  it('appears once as a proposal, and takes commands only after an owner has confirmed it', async () => {
    const server = await new ScriptedServer('THE_THINGS_STACK').start();
    const { uplink, send } = await newDeviceOf(world, owner, server, 'attic');
    const push = `${server.receiver.url('')}${headers['x-downlink-push'].slice('http://127.0.0.1:9'.length)}`;
    for (let uplinks = 0; uplinks < 3; uplinks++) await uplink({ ...headers, 'x-downlink-push': push });
    const found = await proposals();
    expect(found).toMatchObject([{ application: 'attic', address: server.receiver.url('').replace(/\/$/, '') }]);
    expect(JSON.stringify(found)).not.toContain('NNSXS');
    const id = await send('01');
    const { pushes } = server;
    const at = `/organizations/${owner.id}/network-servers/${found[0]!.id}`;
    expect((await owner.post(`${at}/confirm`)).body).toMatchObject({ proposed: false });
    expect(pushes).toBe(0);
    await commands().reaches(id, 'handed');
    expect(server.receiver.calls.at(-1)!.headers.authorization).toBe('Bearer NNSXS.PROPOSED');
    await server.close();
  });

  it('makes no proposal for an application that has one, nor from a header of another form', async () => {
    const { uplink } = await device('THE_THINGS_STACK');
    await uplink(headers);
    const { uplink: other } = await newDeviceOf(world, owner, servers.THE_THINGS_STACK, 'loft');
    await other({ ...headers, 'x-downlink-push': 'http://user@127.0.0.1/down/push' });
    expect(await proposals()).toEqual([]);
  });
});
