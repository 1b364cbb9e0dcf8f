import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { newId } from '#entities/id.js';
import { startTestService } from '../support/start-service.js';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { commandsOf, type Kind, newDeviceOf, ScriptedServer } from './network-world.js';

const world = useWorld();
const kinds: Kind[] = ['THE_THINGS_STACK', 'CHIRPSTACK'];
const application = 'pumps';

let owner: AccountActor;
const servers = {} as Record<Kind, ScriptedServer>;

const serverOf = (account: AccountActor, kind: Kind) =>
  account.make(`/organizations/${account.id}/network-servers`, {
    kind,
    name: kind,
    address: servers[kind].receiver.url(''),
    application,
    apiKey: 'NNSXS.KEY',
  });

beforeAll(async () => {
  owner = await world.organization();
  for (const kind of kinds) {
    servers[kind] = await new ScriptedServer(kind).start();
    await serverOf(owner, kind);
  }
});
afterAll(() => Promise.all(kinds.map((kind) => servers[kind].close())));

/** Sends a command through a server, and returns what the server calls it. */
async function sent(kind: Kind, more: object = {}, account = owner) {
  const device = await newDeviceOf(world, account, servers[kind], application);
  const id = await device.send('0102', more);
  const { read, reaches, evidence } = commandsOf(account);
  await reaches(id, 'handed');
  const { name } = servers[kind].taken.at(-1)!;
  return {
    ...device,
    commandId: id,
    name,
    state: () => read(id),
    evidence: async () => (await evidence(id)).filter(({ source }) => source === 'networkServer'),
  };
}

/** A downlink as The Things Stack repeats it in events: it adds correlation ids and sorts them. */
const downlink = (name: string) => ({
  session_key_id: 'AXA50tHUGUucuzS/bCGMNw==',
  f_port: 1,
  f_cnt: 12,
  frm_payload: 'AQI=',
  confirmed: true,
  priority: 'NORMAL',
  correlation_ids: ['as:downlink:01HKPGEP5QYRRJG13CYC1BYYH0', name],
});

const answered = { status: 204 };

describe('events of The Things Stack', () => {
  it.each([
    ['downlink_sent', downlink, { state: 'transmitted' }],
    ['downlink_ack', downlink, { state: 'received' }],
    ['downlink_nack', downlink, { state: 'handed' }],
    ['downlink_queued', downlink, { state: 'handed' }],
    [
      'downlink_failed',
      (name: string) => ({
        downlink: downlink(name),
        error: {
          namespace: 'pkg/networkserver',
          name: 'class_a_downlink',
          message_format: 'no downlink slot',
          code: 10,
        },
      }),
      { state: 'failed', code: 'DOWNLINK_FAILED' },
    ],
    [
      'downlink_queue_invalidated',
      (name: string) => ({ downlinks: [downlink(name)], last_f_cnt_down: 12 }),
      { state: 'unknown', code: 'QUEUE_INVALIDATED' },
    ],
  ])('takes %s as evidence, and stores no record', async (kind, body, state) => {
    const { event, name, state: now, evidence, id } = await sent('THE_THINGS_STACK', { confirmed: true });
    expect(await event(kind, body(name))).toMatchObject(answered);
    expect(await now()).toMatchObject(state);
    expect(await evidence()).toHaveLength(1);
    const records = await owner.graph(
      'query ($o: ID!, $d: ID!) { device(organizationId: $o, deviceId: $d) { records { totalCount } } }',
      { o: owner.id, d: id },
    );
    expect(records.body.data).toMatchObject({ device: { records: { totalCount: 1 } } });
  });

  it('takes events in any order, and twice', async () => {
    const { event, name, state, evidence } = await sent('THE_THINGS_STACK', { confirmed: true });
    for (const kind of ['downlink_nack', 'downlink_ack', 'downlink_sent', 'downlink_ack'])
      await event(kind, downlink(name));
    expect(await state()).toMatchObject({ state: 'received' });
    expect(await evidence()).toHaveLength(4);
  });

  it('answers 204 to events of downlinks that are not ours, and changes nothing', async () => {
    const { event, state } = await sent('THE_THINGS_STACK');
    expect(await event('downlink_ack', downlink('my-correlation-id'))).toMatchObject(answered);
    expect(await event('downlink_ack', downlink(`ddp:command:${newId()}`))).toMatchObject(answered);
    expect(await event('downlink_ack', { ...downlink(''), correlation_ids: null })).toMatchObject(answered);
    expect(await state()).toMatchObject({ state: 'handed' });
  });
});

describe('events of ChirpStack', () => {
  const log = (code: string) => (queueItemId: string) => ({
    level: 'ERROR',
    code,
    description: 'Device queue-item discarded',
    context: { queue_item_id: queueItemId },
  });
  it.each([
    [
      'txack',
      (queueItemId: string) => ({ queueItemId, downlinkId: 7, fCntDown: 4, gatewayId: '0016c001f153a14c' }),
      { state: 'transmitted' },
    ],
    [
      'ack',
      (queueItemId: string) => ({ queueItemId, deduplicationId: 'd', acknowledged: true, fCntDown: 4 }),
      { state: 'received' },
    ],
    ['ack', (queueItemId: string) => ({ queueItemId, fCntDown: 4 }), { state: 'failed', code: 'NOT_ACKNOWLEDGED' }],
    ['log', log('EXPIRED'), { state: 'expired', code: 'QUEUE_EXPIRED' }],
    ['log', log('DOWNLINK_PAYLOAD_SIZE'), { state: 'failed', code: 'PAYLOAD_SIZE' }],
    ['log', log('UPLINK_MIC'), { state: 'handed' }],
  ])('takes %s as evidence by the item of its queue', async (kind, body, state) => {
    const { event, name, state: now } = await sent('CHIRPSTACK', { confirmed: true });
    expect(await event(kind, body(name))).toMatchObject(answered);
    expect(await now()).toMatchObject(state);
  });

  it('takes an event that comes before the answer to the enqueue', async () => {
    const server = servers.CHIRPSTACK;
    const { send, event } = await newDeviceOf(world, owner, server, application);
    const posted: Promise<unknown>[] = [];
    server.script.push((response, take) => {
      take();
      const queueItemId = server.taken.at(-1)!.name;
      posted.push(event('txack', { queueItemId }).then(() => response.end(JSON.stringify({ id: queueItemId }))));
    });
    const id = await send('0b');
    await commandsOf(owner).reaches(id, 'transmitted');
    expect(await Promise.all(posted)).toHaveLength(1);
  });
});

describe.each(kinds)('an event through %s about a command of another tenant', (kind) => {
  const ack = (name: string) => (kind === 'CHIRPSTACK' ? { queueItemId: name, acknowledged: true } : downlink(name));
  const word = kind === 'CHIRPSTACK' ? 'ack' : 'downlink_ack';

  it('changes nothing', async () => {
    const other = await world.organization();
    await serverOf(other, kind);
    const victim = await sent(kind);
    const attacker = await newDeviceOf(world, other, servers[kind], application);
    expect(await attacker.event(word, ack(victim.name))).toMatchObject(answered);
    expect(await victim.state()).toMatchObject({ state: 'handed' });
    expect(await victim.evidence()).toEqual([]);
  });

  it('changes nothing for another device of the same organization either', async () => {
    const [one, two] = [await sent(kind), await sent(kind)];
    await two.event(word, ack(one.name));
    expect(await one.state()).toMatchObject({ state: 'handed' });
  });
});

describe('two processes on one database', () => {
  it('gives each command to the network server once, in the order of its device', async () => {
    const { hooks } = readConfig({ HOOK_ALLOW_CIDRS: '127.0.0.0/8' });
    const second = await startTestService(world.databaseUrl, { config: { hooks } });
    try {
      const server = servers.CHIRPSTACK;
      const before = server.taken.length;
      const devices = [];
      for (let each = 0; each < 6; each++) devices.push(await newDeviceOf(world, owner, server, application));
      const ids: string[] = [];
      const sending = devices.map(async ({ send }, index) => {
        for (let turn = 0; turn < 6; turn++) ids.push(await send(`a${index}0${turn}`));
      });
      await Promise.all(sending);
      for (const id of ids) await commandsOf(owner).reaches(id, 'handed');
      const payloads = server.taken.slice(before).map(({ payload }) => payload);
      expect(payloads).toHaveLength(36);
      for (let index = 0; index < 6; index++)
        expect(payloads.filter((payload) => payload.startsWith(`a${index}`))).toEqual(
          [0, 1, 2, 3, 4, 5].map((turn) => `a${index}0${turn}`),
        );
    } finally {
      await second.close();
    }
  });

  it('reports `unknown` for a command whose process died while it called, and does not give it again', async () => {
    const server = servers.CHIRPSTACK;
    const { id: deviceId, send } = await newDeviceOf(world, owner, server, application);
    let answer = () => {};
    server.script.push((response, take) => {
      take();
      answer = () => void response.end('{}');
    });
    const id = await send('0d');
    await until(() => server.taken.at(-1)?.payload === '0d');
    const { pushes } = server;
    await world.pool.query(`update command_push set locked_until = '-infinity' where device_id = $1`, [deviceId]);
    await commandsOf(owner).reaches(id, 'unknown');
    answer();
    await until(async () => (await commandsOf(owner).evidence(id)).length === 2);
    expect(await commandsOf(owner).read(id)).toMatchObject({ state: 'unknown' });
    expect(server.pushes).toBe(pushes);
  });
});
