import { afterEach, describe, expect, it } from '@jest/globals';
import type { MqttClient } from 'mqtt';
import { poolOf } from '../support/connection.js';
import { until } from '../support/until.js';
import { connect, gone, useMqtt } from './mqtt-world.js';
import { listenerOf, pushDevice } from './push-world.js';
import { RawClient } from './raw-client.js';

const world = useMqtt();
const clients: MqttClient[] = [];
const raw: RawClient[] = [];
const newDevice = () => pushDevice(world, clients);
afterEach(() => {
  for (const client of clients.splice(0)) client.end(true);
  for (const client of raw.splice(0)) client.leave();
});

const publish = (client: MqttClient, topic: string, body: unknown) =>
  client.publishAsync(topic, JSON.stringify(body), { qos: 1 });

describe.each([4, 5] as const)('command over MQTT, version %i', (protocolVersion) => {
  it('reaches a device that listens at QoS 1, which acknowledges and answers it', async () => {
    const device = await newDevice();
    const { client, message } = await device.listen({ protocolVersion });
    expect(await client.subscribeAsync('ddp/commands', { qos: 1 })).toMatchObject([{ qos: 1 }]);
    const id = await device.send('0a0b');
    expect(await message(0)).toMatchObject({
      topic: 'ddp/commands',
      qos: 1,
      dup: false,
      body: { id, name: 'raw', payload: '0a0b', streamId: 1, expiresAt: expect.any(String) },
    });
    await until(async () => (await device.find(id)).state === 'received');
    await publish(client, `ddp/commands/${id}/result`, { result: { was: 19 } });
    expect(await device.find(id)).toMatchObject({ state: 'answered', detail: { result: { was: 19 } } });
    expect(await device.evidence(id)).toEqual(['service handed', 'device received', 'device answered']);
  });

  it('waits for a device that is away, and comes after those that were sent before', async () => {
    const device = await newDevice();
    const ids = [];
    for (const payload of ['01', '02', '03']) ids.push(await device.send(payload));
    const { client, received, message } = await device.listen({ protocolVersion });
    await client.subscribeAsync('ddp/commands', { qos: 1 });
    await message(2);
    expect(received.map(({ body }) => (body as { id: string }).id)).toEqual(ids);
  });

  it('counts as handed over only at QoS 0, and never comes again', async () => {
    const device = await newDevice();
    const ids = [await device.send('01'), await device.send('02')];
    const first = await device.listen({ protocolVersion });
    await first.client.subscribeAsync('ddp/commands', { qos: 0 });
    expect(await first.message(1)).toMatchObject({ qos: 0, body: { payload: '02' } });
    expect((await device.find(ids[1]!)).state).toBe('handed');
    // A connection that has ended might take the third one until the service notices.
    await first.client.unsubscribeAsync('ddp/commands');
    const second = await device.listen({ protocolVersion });
    await second.client.subscribeAsync('ddp/commands', { qos: 1 });
    await device.send('03');
    expect(await second.message(0)).toMatchObject({ body: { payload: '03' } });
    expect(await device.evidence(ids[0]!)).toEqual(['service handed']);
  });
});

describe('a command over MQTT that is not acknowledged', () => {
  /** Ends the time in which the device has to acknowledge a command. */
  const makeDue = (id: string) =>
    poolOf(world.service.databaseUrl).query(`update command set again_at = clock_timestamp() where id = '${id}'`);
  const silent = async (token: string, version: 4 | 5 = 5, more = {}) => {
    const client = await RawClient.as(token, world.url, version, more);
    raw.push(client);
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'ddp/commands', qos: 1 }] });
    await client.packet('suback');
    return client;
  };
  const messagesOf = ({ packets }: RawClient) =>
    packets.flatMap((packet) => (packet.cmd === 'publish' ? [packet] : []));

  it('keeps others back, and comes at once to the next connection', async () => {
    const device = await newDevice();
    const [first] = [await device.send('01'), await device.send('02')];
    const client = await silent(device.token);
    await until(() => messagesOf(client).length === 1);
    expect(await device.evidence(first!)).toEqual(['service handed']);
    client.leave();
    await client.closed();
    const next = await device.listen();
    await next.client.subscribeAsync('ddp/commands', { qos: 1 });
    await next.message(1);
    expect(next.received).toMatchObject([{ body: { payload: '01' }, dup: false }, { body: { payload: '02' } }]);
    expect(await device.evidence(first!)).toEqual(['service handed', 'service handed', 'device received']);
  });

  it('comes again as a new message once its time is over, and its late acknowledgement counts', async () => {
    const device = await newDevice();
    const id = await device.send('01');
    const client = await silent(device.token);
    await until(() => messagesOf(client).length === 1);
    await makeDue(id);
    await until(() => messagesOf(client).length === 2);
    const [first, second] = messagesOf(client);
    expect(second).toMatchObject({ dup: false, payload: first!.payload });
    expect(second!.messageId).not.toBe(first!.messageId);
    client.send({ cmd: 'puback', messageId: first!.messageId! });
    await until(async () => (await device.find(id)).state === 'received');
  });

  it('stays the only one for a client that takes one at a time', async () => {
    const device = await newDevice();
    const id = await device.send('01');
    const client = await silent(device.token, 5, { properties: { receiveMaximum: 1 } });
    await until(() => messagesOf(client).length === 1);
    await makeDue(id);
    await device.desire({ beside: 1 });
    client.send({ cmd: 'subscribe', messageId: 2, subscriptions: [{ topic: 'ddp/state', qos: 0 }] });
    await until(() => messagesOf(client).length === 2);
    expect(messagesOf(client)).toMatchObject([{ topic: 'ddp/commands' }, { topic: 'ddp/state', qos: 0 }]);
    client.send({ cmd: 'puback', messageId: messagesOf(client)[0]!.messageId! });
    await until(async () => (await device.find(id)).state === 'received');
  });

  it('fails with a code when the device refuses it, or takes no packet as large', async () => {
    const device = await newDevice();
    const [refused, large] = [await device.send('01'), await device.send('ff'.repeat(1000))];
    const client = await silent(device.token, 5, { properties: { maximumPacketSize: 500 } });
    await until(() => messagesOf(client).length === 1);
    client.send({ cmd: 'puback', messageId: messagesOf(client)[0]!.messageId!, reasonCode: 0x99 });
    await until(async () => (await device.find(large)).state === 'failed');
    expect(await device.find(refused)).toMatchObject({ state: 'failed', code: 'REFUSED', detail: { reason: '0x99' } });
    expect(await device.find(large)).toMatchObject({ state: 'failed', code: 'TOO_LARGE' });
    expect(messagesOf(client)).toHaveLength(1);
  });
});

describe('desired state over MQTT', () => {
  it('comes when the device subscribes and at each change, and is settled by its reports', async () => {
    const device = await newDevice();
    await device.desire({ setPoint: 21.5, mode: 'eco' });
    const { client, received, message } = await device.listen();
    await client.subscribeAsync('ddp/state', { qos: 1 });
    expect(await message(0)).toMatchObject({
      topic: 'ddp/state',
      body: { desired: { setPoint: { value: 21.5, version: 1 }, mode: { value: 'eco', version: 1 } } },
    });
    await publish(client, 'ddp/state/report', { reported: { setPoint: 21.5, mode: 'party' }, versions: { mode: 1 } });
    expect(await device.state()).toMatchObject([
      { name: 'mode', reported: 'party', settled: true },
      { name: 'setPoint', reported: 21.5, settled: true },
    ]);
    await device.desire({ setPoint: 23 });
    expect((await message(1)).body).toEqual({ desired: { setPoint: { value: 23, version: 2 } } });
    await device.desire({ setPoint: null });
    expect((await message(2)).body).toEqual({ desired: { setPoint: { value: null, version: 3 } } });
    await client.subscribeAsync('ddp/commands', { qos: 0 });
    await device.send('01');
    expect((await message(3)).topic).toBe('ddp/commands');
    expect(received).toHaveLength(4);
  });

  it('comes in several messages to a client that takes only small ones', async () => {
    const device = await newDevice();
    await device.desire({ a: 'x'.repeat(300), b: 'y'.repeat(300), c: 'z'.repeat(1000) });
    const { client, message, received } = await device.listen({
      protocolVersion: 5,
      properties: { maximumPacketSize: 500 },
    });
    await client.subscribeAsync('ddp/state');
    await message(1);
    expect(received.map(({ body }) => Object.keys((body as { desired: object }).desired))).toEqual([['a'], ['b']]);
  });
});

describe('a client with a token of the organization', () => {
  it('speaks for the device whose serial is its client identifier', async () => {
    const device = await newDevice();
    const client = await connect(world.url, { username: world.ingestToken, clientId: device.serial.toUpperCase() });
    clients.push(client);
    const { message } = listenerOf(client);
    await client.subscribeAsync(['ddp/commands', 'ddp/state'], { qos: 1 });
    const id = await device.send('77');
    expect(await message(0)).toMatchObject({ body: { id } });
    await publish(client, `ddp/commands/${id}/result`, { error: 'jammed' });
    expect(await device.find(id)).toMatchObject({ state: 'answered', code: 'DEVICE_ERROR' });
    await publish(client, 'ddp/state/report', { reported: { a: 1 } });
    expect(await device.state()).toMatchObject([{ name: 'a', reported: 1 }]);
  });

  it('subscribes to nothing without the serial of a device', async () => {
    for (const clientId of ['', 'no-such-device']) {
      const client = await RawClient.as(world.ingestToken, world.url, 5, { clientId });
      raw.push(client);
      client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'ddp/commands', qos: 1 }] });
      expect(await client.packet('suback')).toMatchObject({ granted: [0x83] });
    }
  });
});

describe('UNSUBSCRIBE', () => {
  it('sends nothing more after UNSUBSCRIBE, and answers one without a subscription as such', async () => {
    const device = await newDevice();
    const client = await RawClient.as(device.token, world.url, 5);
    raw.push(client);
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'ddp/commands', qos: 1 }] });
    await client.packet('suback');
    client.send({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: ['ddp/commands', 'ddp/state'] });
    expect(await client.packet('unsuback')).toMatchObject({ granted: [0, 0x11] });
    const id = await device.send('01');
    client.send({ cmd: 'pingreq' });
    await client.packet('pingresp');
    expect((await device.find(id)).state).toBe('waiting');
  });
});

describe('a revoked token', () => {
  it('gets no further command: its connection ends when one is due, which comes to the next connection', async () => {
    const device = await newDevice();
    const { body } = await world.owner.post<{ apiToken: { id: string }; token: string }>(`${device.path}/tokens`, {});
    const { client, received } = await device.listen({ username: body.token });
    await client.subscribeAsync('ddp/commands', { qos: 1 });
    const deleted = await world.owner.delete(`${device.path}/tokens/${body.apiToken.id}`);
    expect(deleted.status).toBe(204);
    const id = await device.send('01');
    await gone(client);
    expect(received).toEqual([]);
    const next = await device.listen();
    await next.client.subscribeAsync('ddp/commands', { qos: 1 });
    expect(await next.message(0)).toMatchObject({ body: { id } });
  });
});
