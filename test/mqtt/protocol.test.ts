import { afterEach, describe, expect, it } from '@jest/globals';
import type { IConnectPacket, Packet } from 'mqtt-packet';
import { TokenScope } from '#entities/enums.js';
import { connect, gone, useMqtt } from './mqtt-world.js';
import { RawClient } from './raw-client.js';

const world = useMqtt();
const clients: RawClient[] = [];
const keep = (client: RawClient) => {
  clients.push(client);
  return client;
};
const raw = async (version: 4 | 5) => keep(await RawClient.to(world.url, version));
const letIn = async (version: 4 | 5, more?: Partial<IConnectPacket>) =>
  keep(await RawClient.as(world.deviceToken, world.url, version, more));
afterEach(() => {
  for (const client of clients.splice(0)) client.leave();
});

describe('MQTT CONNECT', () => {
  it.each([
    [4, 'returnCode', 4],
    [5, 'reasonCode', 0x86],
  ] as const)('fails for an unknown token in version %i', async (version, field, code) => {
    for (const token of ['ddp_0123456789012345678901234567890123456789012', 'admin', '']) {
      const client = (await raw(version)).hello(token);
      expect((await client.packet('connack'))?.[field]).toBe(code);
      await client.closed();
    }
  });

  it.each([
    [4, 'returnCode', 5],
    [5, 'reasonCode', 0x87],
  ] as const)('fails for a read token in version %i', async (version, field, code) => {
    const { token } = await world.tenant.client({ scope: TokenScope.read });
    const client = (await raw(version)).hello(token!);
    expect((await client.packet('connack'))?.[field]).toBe(code);
    await client.closed();
  });

  it('fails for a member who does not own the organization', async () => {
    const { client: member } = await world.tenant.member();
    const client = (await raw(5)).hello(member.token!);
    expect(await client.packet('connack')).toMatchObject({ reasonCode: 0x87 });
  });

  it("receives the server's limits in version 5", async () => {
    const client = await letIn(5, { clientId: '', keepalive: 0 });
    expect(await client.packet('connack')).toMatchObject({
      sessionPresent: false,
      properties: {
        sessionExpiryInterval: 0,
        receiveMaximum: 100,
        maximumQoS: 1,
        maximumPacketSize: 2 ** 20,
        assignedClientIdentifier: expect.stringMatching(/./),
        serverKeepAlive: 1200,
      },
    });
  });

  it.each([
    ['version 3.1', 4, { protocolVersion: 3, protocolId: 'MQIsdp' }, { returnCode: 1 }],
    ['a session without a client identifier', 4, { clean: false, clientId: '' }, { returnCode: 2 }],
    ['an authentication method', 5, { properties: { authenticationMethod: 'SCRAM' } }, { reasonCode: 0x8c }],
    ['a will at QoS 2', 5, { will: { topic: 'ddp/records', payload: 'x', qos: 2 } }, { reasonCode: 0x9b }],
    ['a will to retain', 5, { will: { topic: 'ddp/records', payload: 'x', retain: true } }, { reasonCode: 0x9a }],
  ] as const)('fails for %s', async (what, version, more, answer) => {
    const client = await raw(version);
    if (what.includes('without')) client.write(Buffer.from('100c00044d5154540400003c0000', 'hex'));
    else client.hello(world.deviceToken, more as Partial<IConnectPacket>);
    expect(await client.packet('connack')).toMatchObject(answer);
    await client.closed();
  });
});

const publishTo = (more: object): Packet => ({
  cmd: 'publish',
  topic: 'v1/devices/me/telemetry',
  payload: '{"a":1}',
  qos: 1,
  messageId: 1,
  dup: false,
  retain: false,
  ...more,
});

describe('unsupported MQTT packets', () => {
  it.each([
    ['QoS 2', publishTo({ qos: 2 }), 0x9b],
    ['a message to retain', publishTo({ retain: true }), 0x9a],
    ['an alias of a topic', publishTo({ topic: '', properties: { topicAlias: 1 } }), 0x94],
    ['a second CONNECT', { cmd: 'connect', clientId: 'x', protocolVersion: 5 }, 0x82],
    ['a server packet', { cmd: 'pingresp' }, 0x82],
    ['a PUBREL', { cmd: 'pubrel', messageId: 1 }, 0x82],
  ] as const)(
    'ends the connection with a reason in version 5, and silently in 3.1.1: %s',
    async (what, packet, reason) => {
      const client = (await letIn(5)).send(packet as Packet);
      expect(await client.packet('disconnect')).toMatchObject({ reasonCode: reason });
      await client.closed();
      if (what.includes('retain') || what.includes('alias')) return;
      const old = (await letIn(4)).send({ ...packet, protocolVersion: 4 } as Packet);
      await old.closed();
      expect(old.packets.map(({ cmd }) => cmd)).toEqual(['connack']);
    },
  );

  it.each([
    [4, 0x80],
    [5, 0x8f],
  ] as const)(
    'receives a failing SUBACK for unknown topics in version %i, and leaves the connection open',
    async (version, code) => {
      const client = await letIn(version);
      client.send({
        cmd: 'subscribe',
        messageId: 7,
        subscriptions: [
          { topic: '#', qos: 1 },
          { topic: 'a', qos: 0 },
        ],
      });
      expect(await client.packet('suback')).toMatchObject({ messageId: 7, granted: [code, code] });
      client.send({ cmd: 'unsubscribe', messageId: 8, unsubscriptions: ['#'] });
      expect(await client.packet('unsuback')).toMatchObject({ messageId: 8 });
      client.publish(9, { subscribed: version });
      expect(await client.packet('puback')).toMatchObject({ messageId: 9 });
    },
  );
});

describe('device token over MQTT', () => {
  it.each([
    ['the records of a gateway', 'v1/gateway/telemetry', { 'ab-01': [{ a: 1 }] }, 0x87, /only speak for its device/],
    ['a record of another device', 'ddp/records', { serial: 'ab-99', data: {} }, 0x99, /names another/],
  ])('fails to post %s', async (_what, topic, payload, reasonCode, words) => {
    const client = (await letIn(5)).publish(3, payload, topic);
    expect(await client.packet('puback')).toMatchObject({
      reasonCode,
      properties: { reasonString: expect.stringMatching(words) },
    });
  });

  it('stores an object of arrays as values of its own device, not as gateway telemetry', async () => {
    const client = (await letIn(5)).publish(4, { 'ab-99': [{ a: 1 }] });
    expect(await client.packet('puback')).toMatchObject({ reasonCode: 0 });
    expect(await world.lastRecord()).toMatchObject({ data: { 'ab-99': [{ a: 1 }] } });
  });
});

describe('revoked token over MQTT', () => {
  const revoked = async (version: 4 | 5) => {
    const { body } = await world.owner.post<{ apiToken: { id: string }; token: string }>(
      `/devices/${world.tenant.id}/${world.deviceId}/tokens`,
      {},
    );
    const client = await connect(world.url, { username: body.token, protocolVersion: version });
    const path = `/devices/${world.tenant.id}/${world.deviceId}/tokens/${body.apiToken.id}`;
    expect((await world.owner.delete(path)).status).toBeLessThan(300);
    return client;
  };

  it.each([4, 5] as const)(
    'stores nothing more, and loses its connection at the next message in version %i',
    async (version) => {
      const client = await revoked(version);
      await expect(client.publishAsync('v1/devices/me/telemetry', '{"revoked":true}', { qos: 1 })).rejects.toThrow(
        /Connection closed|Disconnected/,
      );
      await gone(client);
      expect((await world.lastRecord())?.data).not.toHaveProperty('revoked');
    },
  );

  it('loses its connection at the next ping', async () => {
    const client = await revoked(5);
    client.sendPing();
    await gone(client);
    expect(client.connected).toBe(false);
  });
});
