import { afterEach, describe, expect, it } from '@jest/globals';
import type { MqttClient } from 'mqtt';
import { createTenant, withDatabase } from '../support/tenant.js';
import { until } from '../support/until.js';
import { connect, useMqtt } from './mqtt-world.js';
import { listenerOf, type PushDevice, pushDevice } from './push-world.js';
import { RawClient } from './raw-client.js';

const world = useMqtt();
const clients: MqttClient[] = [];
const raw: RawClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.end(true);
  for (const client of raw.splice(0)) client.leave();
});

const at = 'v1/gateway';
const topics = [`${at}/attributes`, `${at}/attributes/response`, `${at}/rpc`];

/** A gateway that subscribes to what ThingsBoard's client libraries subscribe to, and announces devices. */
const gateway = async (devices: readonly PushDevice[], { qos = 1 as 0 | 1, ...options } = {}) => {
  const client = await connect(world.url, { username: world.ingestToken, ...options });
  clients.push(client);
  const listener = listenerOf(client);
  const grants = await client.subscribeAsync(topics, { qos });
  expect(grants.map((grant) => grant.qos)).toEqual([qos, qos, qos]);
  const publish = (topic: string, body: unknown) =>
    client.publishAsync(`${at}/${topic}`, JSON.stringify(body), { qos: 1 });
  const announce = (device: PushDevice, topic = 'connect') => publish(topic, { device: device.serial });
  for (const device of devices) await announce(device);
  const callOf = async (index: number) => (await listener.message(index)).body as Call;
  return { ...listener, publish, announce, callOf };
};

interface Call {
  device: string;
  data: { id: number; method: string; params: unknown };
}

const newDevices = (count: number) => Promise.all(Array.from({ length: count }, () => pushDevice(world, clients)));

describe("a gateway's call over MQTT", () => {
  it('hands commands of announced devices over, which the gateway acknowledges and answers', async () => {
    const [one, other, silent] = (await newDevices(3)) as [PushDevice, PushDevice, PushDevice];
    const before = await one.send('01');
    const { callOf, publish, received } = await gateway([one, other]);
    expect(await callOf(0)).toEqual({
      device: one.serial,
      data: { id: expect.any(Number), method: 'raw', params: '01' },
    });
    await silent.send('03');
    const later = await other.send('02');
    const call = await callOf(1);
    expect(call).toMatchObject({ device: other.serial, data: { params: '02' } });
    await until(async () => (await other.find(later)).state === 'received');
    await publish('rpc', { device: other.serial, id: call.data.id, data: { ok: true } });
    expect(await other.find(later)).toMatchObject({ state: 'answered', detail: { result: { ok: true } } });
    expect(await other.evidence(later)).toEqual(['service handed', 'device received', 'device answered']);
    expect((await one.find(before)).state).toBe('received');
    expect(received.map(({ topic }) => topic)).toEqual([`${at}/rpc`, `${at}/rpc`]);
  });

  it('takes an error as the answer, and ignores one that names the call of another device', async () => {
    const [one, other] = (await newDevices(2)) as [PushDevice, PushDevice];
    const { callOf, publish } = await gateway([one, other]);
    const id = await one.send('01');
    const { data } = await callOf(0);
    await publish('rpc', { device: other.serial, id: data.id, data: 1 });
    await until(async () => (await one.find(id)).state === 'received');
    await publish('rpc', { device: one.serial, id: data.id, error: 'jammed' });
    expect(await one.find(id)).toMatchObject({ state: 'answered', code: 'DEVICE_ERROR', detail: { error: 'jammed' } });
  });

  it('comes to a device no more once it is disconnected, and again once it is connected', async () => {
    const [one, other] = (await newDevices(2)) as [PushDevice, PushDevice];
    const { announce, callOf, received } = await gateway([one, other], { qos: 0 });
    await announce(one, 'disconnect');
    const waiting = await one.send('01');
    await other.send('02');
    expect(await callOf(0)).toMatchObject({ device: other.serial });
    expect(received).toHaveLength(1);
    await announce(one);
    expect(await callOf(1)).toMatchObject({ device: one.serial });
    await until(async () => (await one.find(waiting)).state === 'handed');
    expect(received).toHaveLength(2);
  });

  it('comes to devices that were announced before the gateway subscribes', async () => {
    const [device] = (await newDevices(1)) as [PushDevice];
    const client = await connect(world.url, { username: world.ingestToken });
    clients.push(client);
    await client.publishAsync(`${at}/connect`, JSON.stringify({ device: device.serial }), { qos: 1 });
    await device.send('0a');
    const { message } = listenerOf(client);
    await client.subscribeAsync(`${at}/rpc`, { qos: 1 });
    expect((await message(0)).body).toMatchObject({ device: device.serial, data: { params: '0a' } });
  });

  it('waits again when the connection ends before the acknowledgement', async () => {
    const [device] = (await newDevices(1)) as [PushDevice];
    const client = await RawClient.as(world.ingestToken, world.url, 5);
    raw.push(client);
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: `${at}/rpc`, qos: 1 }] });
    const payload = JSON.stringify({ device: device.serial });
    const hello = { topic: `${at}/connect`, payload, qos: 1 as const, dup: false, retain: false };
    client.send({ cmd: 'publish', messageId: 2, ...hello });
    const id = await device.send('01');
    await client.packet('publish');
    client.leave();
    const next = await gateway([device]);
    expect(await next.callOf(0)).toMatchObject({ device: device.serial });
    await until(async () => (await device.find(id)).state === 'received');
  });
});

describe("a gateway's attributes over MQTT", () => {
  it('brings desired values of announced devices, and stores what they report', async () => {
    const [one, other] = (await newDevices(2)) as [PushDevice, PushDevice];
    await one.desire({ setPoint: 21 });
    const { message, publish } = await gateway([one, other]);
    expect(await message(0)).toMatchObject({
      topic: `${at}/attributes`,
      body: { device: one.serial, data: { setPoint: 21 } },
    });
    await other.desire({ mode: 'eco' });
    expect((await message(1)).body).toEqual({ device: other.serial, data: { mode: 'eco' } });
    await other.desire({ mode: null });
    expect((await message(2)).body).toEqual({ device: other.serial, data: { deleted: ['mode'] } });
    await publish('attributes', {
      [one.serial]: { setPoint: 21 },
      ff99: { a: 1 },
      [other.serial]: { firmware: '1.2' },
    });
    expect(await one.state()).toMatchObject([{ name: 'setPoint', reported: 21, settled: true }]);
    expect(await other.state()).toMatchObject([{ name: 'firmware', reported: '1.2' }, { name: 'mode' }]);
  });

  it('answers requests for one attribute, several, and all', async () => {
    const [device] = (await newDevices(1)) as [PushDevice];
    const { message, publish, received } = await gateway([]);
    await publish('attributes', { [device.serial]: { a: 1, b: 2 } });
    await device.desire({ c: 3 });
    const name = device.serial;
    await publish('attributes/request', { id: 1, device: name, client: true, key: 'a' });
    await publish('attributes/request', { id: 2, device: name, client: true, keys: ['a', 'x'] });
    await publish('attributes/request', { id: 3, device: name, client: false });
    await publish('attributes/request', { id: 4, device: name, client: true, key: 'x' });
    await message(3);
    expect(received.map(({ body }) => body)).toEqual([
      { id: 1, device: name, value: 1 },
      { id: 2, device: name, values: { a: 1 } },
      { id: 3, device: name, values: { c: 3 } },
      { id: 4, device: name, values: {} },
    ]);
    expect(new Set(received.map(({ topic }) => topic))).toEqual(new Set([`${at}/attributes/response`]));
  });
});

describe('a gateway over MQTT', () => {
  const publish = (client: RawClient, topic: string, body: unknown, messageId = 7) =>
    client.send({
      cmd: 'publish',
      messageId,
      topic: `${at}/${topic}`,
      payload: JSON.stringify(body),
      qos: 1,
      dup: false,
      retain: false,
    });
  const rawOf = async (token: string, version: 4 | 5 = 5) => {
    const client = await RawClient.as(token, world.url, version);
    raw.push(client);
    return client;
  };

  it.each([
    ['connect', { device: 'ffff' }, 0x83],
    ['disconnect', { device: 'ffff' }, 0x83],
    ['rpc', { device: 'ffff', id: 1, data: 1 }, 0x83],
    ['attributes/request', { device: 'ffff', id: 1, client: true, key: 'a' }, 0x83],
    ['connect', {}, 0x99],
    ['connect', { device: 1 }, 0x99],
    ['connect', [], 0x99],
    ['rpc', { device: 'ab-01', id: 'x', data: 1 }, 0x99],
    ['attributes', { 'ab-01': 1 }, 0x99],
    ['attributes', Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`a${index}`, {}])), 0x99],
  ])('gets a reason for a wrong message to %s', async (topic, body, reasonCode) => {
    const client = await rawOf(world.ingestToken);
    publish(client, topic, body);
    expect(await client.packet('puback')).toMatchObject({
      reasonCode,
      properties: { reasonString: expect.any(String) },
    });
  });

  it('keeps its connection of version 3.1.1 when it announces a device that is unknown', async () => {
    const client = await rawOf(world.ingestToken, 4);
    publish(client, 'connect', { device: 'ffff' });
    await client.packet('puback');
    client.send({ cmd: 'pingreq' });
    expect(await client.packet('pingresp')).toMatchObject({ cmd: 'pingresp' });
  });

  it('takes a token of the organization: a device announces no other, and subscribes to none', async () => {
    const client = await rawOf(world.deviceToken);
    publish(client, 'connect', { device: 'ab-01' });
    expect(await client.packet('puback')).toMatchObject({ reasonCode: 0x87 });
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: topics.map((topic) => ({ topic, qos: 1 })) });
    expect(await client.packet('suback')).toMatchObject({ granted: [0x87, 0x87, 0x87] });
  });

  it('gets nothing of a device of another organization', async () => {
    const other = await createTenant(world.service);
    const client = await rawOf(other.owner.token!);
    const [device] = (await newDevices(1)) as [PushDevice];
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: `${at}/rpc`, qos: 1 }] });
    await client.packet('suback');
    publish(client, 'connect', { device: device.serial });
    expect(await client.packet('puback')).toMatchObject({ reasonCode: 0x83 });
    const id = await device.send('01');
    publish(client, 'rpc', { device: device.serial, id: 1, data: 1 }, 8);
    await until(() => client.packets.filter(({ cmd }) => cmd === 'puback').length === 2);
    expect((await device.find(id)).state).toBe('waiting');
  });

  it('speaks for a thousand devices of a connection at most', async () => {
    const { id } = world.tenant;
    await withDatabase(world.service, (db) =>
      db.query(
        `insert into device (id, organization_id, serial, serial_key, slug, tags, created_at, updated_at)
       select gen_random_uuid(), $1, 'ee' || lpad(n::text, 6, '0'), 'ee' || lpad(n::text, 6, '0'), 's', '{}', now(), now()
         from generate_series(1, 1001) n`,
        [id],
      ),
    );
    const client = await rawOf(world.ingestToken);
    const sent = (number: number) => ({ device: `ee${String(number).padStart(6, '0')}` });
    for (let number = 1; number <= 1001; number++) publish(client, 'connect', sent(number), number);
    const acks = () => client.packets.flatMap((packet) => (packet.cmd === 'puback' ? [packet.reasonCode] : []));
    await until(() => acks().length === 1001);
    expect(
      acks()
        .slice(0, 1000)
        .every((reason) => (reason ?? 0) === 0),
    ).toBe(true);
    expect(acks()[1000]).toBe(0x97);
    publish(client, 'disconnect', sent(1), 1002);
    publish(client, 'connect', sent(1001), 1003);
    await until(() => acks().length === 1003);
    expect(
      acks()
        .slice(1001)
        .map((reason) => reason ?? 0),
    ).toEqual([0, 0]);
  });
});
