import { afterEach, describe, expect, it } from '@jest/globals';
import type { MqttClient } from 'mqtt';
import { useMqtt } from './mqtt-world.js';
import { type PushDevice, pushDevice } from './push-world.js';
import { RawClient } from './raw-client.js';

const world = useMqtt();
const clients: MqttClient[] = [];
const raw: RawClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.end(true);
  for (const client of raw.splice(0)) client.leave();
});

const rawOf = async ({ token }: PushDevice, version: 4 | 5 = 5, more = {}) => {
  const client = await RawClient.as(token, world.url, version, more);
  raw.push(client);
  return client;
};
const subscribe = (client: RawClient, topics: string[], more = {}) =>
  client.send({ cmd: 'subscribe', messageId: 1, subscriptions: topics.map((topic) => ({ topic, qos: 1 })), ...more });
const acks = ({ packets }: RawClient) => packets.flatMap((packet) => (packet.cmd === 'puback' ? [packet] : []));

describe('SUBSCRIBE', () => {
  it('gets a reason for each refused topic, wildcard and shared subscription', async () => {
    const client = await rawOf(await pushDevice(world, clients));
    subscribe(client, ['#', '+/+', 'ddp/+', 'ddp/commands/1', '$SYS/#', '$share/a/ddp/commands', 'ddp/commands']);
    expect(await client.packet('suback')).toMatchObject({
      granted: [0x8f, 0x8f, 0x8f, 0x8f, 0x8f, 0x9e, 1],
      properties: { reasonString: expect.stringContaining('ddp/commands') },
    });
  });

  it('grants QoS 1 to a client that asks for 2', async () => {
    const client = await rawOf(await pushDevice(world, clients));
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'ddp/commands', qos: 2 }] });
    expect(await client.packet('suback')).toMatchObject({ granted: [1] });
  });

  it('ends the connection with a subscription identifier, or without a topic', async () => {
    const device = await pushDevice(world, clients);
    const client = await rawOf(device);
    subscribe(client, ['ddp/commands'], { properties: { subscriptionIdentifier: 1 } });
    expect(await client.packet('disconnect')).toMatchObject({ reasonCode: 0xa1 });
    const other = await rawOf(device);
    other.write(Buffer.from('8203000100', 'hex'));
    expect(await other.packet('disconnect')).toMatchObject({ reasonCode: expect.any(Number) });
  });

  it('fails beyond twenty connections of a device that listen', async () => {
    const device = await pushDevice(world, clients);
    for (let number = 1; number <= 21; number++) {
      const client = subscribe(await rawOf(device), ['ddp/commands']);
      expect(await client.packet('suback')).toMatchObject({ granted: [number <= 20 ? 1 : 0x97] });
    }
  });

  it('takes topics as long as the packet', async () => {
    const client = subscribe(await rawOf(await pushDevice(world, clients)), ['a'.repeat(16_000), 'ddp/state']);
    expect(await client.packet('suback')).toMatchObject({ granted: [0x8f, 1] });
  });
});

describe('an answer over MQTT', () => {
  const unknown = '01a22a53-4f7a-7fa1-9ddc-d7c0134f342b';
  it.each([
    ['of an unknown command', unknown, '{"result":1}', 0x83],
    ['of no identifier', 'a'.repeat(36), '{"result":1}', 0x83],
    ['that is no JSON', unknown, '{"result":', 0x99],
    ['that is no object', unknown, '[1]', 0x99],
    ['with a result and an error', unknown, '{"result":1,"error":2}', 0x99],
    ['over 4 kB', unknown, JSON.stringify({ result: 'x'.repeat(4096) }), 0x99],
    ['that nests deep', unknown, `{"result":${'['.repeat(4000)}${']'.repeat(4000)}}`, 0x99],
    ['over 256 kB', unknown, JSON.stringify({ result: 'x'.repeat(256 * 1024) }), 0x97],
    ['with NUL', unknown, '{"result":"\\u0000"}', 0x99],
    ['that is no UTF-8', unknown, Buffer.from('7b22ff227d', 'hex'), 0x99],
  ])('gets a refusal with a reason %s', async (_what, id, payload, reasonCode) => {
    const client = await rawOf(await pushDevice(world, clients));
    const topic = `ddp/commands/${id}/result`;
    client.send({ cmd: 'publish', messageId: 5, topic, payload, qos: 1, dup: false, retain: false });
    expect(await client.packet('puback')).toMatchObject({
      reasonCode,
      properties: { reasonString: expect.any(String) },
    });
  });

  it('gets a refusal for a command of another device', async () => {
    const [device, other] = [await pushDevice(world, clients), await pushDevice(world, clients)];
    const id = await device.send('01');
    const client = (await rawOf(other)).publish(1, { result: 1 }, `ddp/commands/${id}/result`);
    expect(await client.packet('puback')).toMatchObject({ reasonCode: 0x83 });
    expect((await device.find(id)).state).toBe('waiting');
  });

  it('ends a connection of version 3.1.1 when it is refused', async () => {
    const client = await rawOf(await pushDevice(world, clients), 4);
    client.publish(1, {}, `ddp/commands/${unknown}/result`);
    await client.closed();
    expect(client.packets.map(({ cmd }) => cmd)).toEqual(['connack']);
  });
});

describe('a report over MQTT', () => {
  it.each([
    ['without values', {}],
    ['with nested values', { reported: { a: [1] } }],
    ['of too many names', { reported: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`n${i}`, i])) }],
    ['with the version of another name', { reported: { a: 1 }, versions: { b: 1 } }],
    ['with versions that are no object', { reported: { a: 1 }, versions: [1] }],
  ])('gets a refusal with a reason %s', async (_what, body) => {
    const device = await pushDevice(world, clients);
    const client = (await rawOf(device)).publish(1, body, 'ddp/state/report');
    expect(await client.packet('puback')).toMatchObject({ reasonCode: 0x99 });
    expect(await device.state()).toEqual([]);
  });
});

describe('a PUBACK', () => {
  it('changes nothing if its message never came', async () => {
    const client = await rawOf(await pushDevice(world, clients));
    for (let number = 1; number <= 50; number++) client.send({ cmd: 'puback', messageId: number });
    client.send({ cmd: 'pingreq' });
    expect(await client.packet('pingresp')).toBeDefined();
    expect(acks(client)).toEqual([]);
  });
});
