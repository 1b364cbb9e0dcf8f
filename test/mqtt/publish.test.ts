import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { MqttClient } from 'mqtt';
import { connect, makeDevice, makeDeviceToken, packetOf, recordsOf, useMqtt } from './mqtt-world.js';

const world = useMqtt();
const clients: MqttClient[] = [];
const open = async (token: string, options: object = {}) => {
  const client = await connect(world.url, { username: token, ...options });
  clients.push(client);
  return client;
};
afterEach(() => {
  for (const client of clients.splice(0)) client.end(true);
});

const publish = (client: MqttClient, topic: string, payload: object | Buffer | string) =>
  client.publishAsync(
    topic,
    Buffer.isBuffer(payload) || typeof payload === 'string' ? payload : JSON.stringify(payload),
    {
      qos: 1,
    },
  );

/** Returns the number of messages that were acknowledged and not stored. */
const ignored = async (): Promise<number> => {
  const page = await (await fetch(`${world.service.url}/metrics`)).text();
  return Number(/^ddp_mqtt_messages_total\{reason="ignored"\} (\d+)$/m.exec(page)?.[1] ?? 0);
};

describe.each([4, 5] as const)('MQTT client of protocol version %i', (protocolVersion) => {
  it('finds the record stored when its message is acknowledged', async () => {
    const client = await open(world.ingestToken, { protocolVersion });
    await publish(client, 'ddp/records', { serial: 'ab-01', data: { count: protocolVersion } });
    expect(await world.lastRecord()).toMatchObject({ data: { count: protocolVersion } });
  });

  it('posts telemetry as the device of its token', async () => {
    const client = await open(world.deviceToken, { protocolVersion });
    await publish(client, 'v1/devices/me/telemetry', { ts: 1_700_000_000_000 + protocolVersion, values: { t: 5 } });
    await publish(client, 'v1/devices/me/telemetry', [{ t: protocolVersion }]);
    expect(await world.lastRecord()).toMatchObject({
      data: { t: protocolVersion },
      metadata: { provider: 'thingsboard' },
    });
  });

  it('authenticates with its token as password', async () => {
    const client = await open('device-1', { protocolVersion, password: world.deviceToken });
    await publish(client, 'v1/devices/me/telemetry', { password: protocolVersion });
    expect(await world.lastRecord()).toMatchObject({ data: { password: protocolVersion } });
  });

  it("stores a gateway's telemetry of the other devices when some are unknown or wrong", async () => {
    const client = await open(world.ingestToken, { protocolVersion });
    const telemetry = (known: number) => [{ ts: Date.now(), values: { known } }];
    await publish(client, 'v1/gateway/telemetry', {
      'ff-ff': telemetry(0),
      'Boiler 7': telemetry(0),
      'ab-02': { known: 0 },
      'ab-01': [{ ts: 'yesterday', values: { known: 0 } }, ...telemetry(protocolVersion)],
    });
    await publish(client, 'v1/gateway/telemetry', { 'AB-01': telemetry(protocolVersion * 10) });
    const values = (await recordsOf(world.tenant, world.deviceId)).map(({ data }) => data['known']);
    expect(values.slice(0, 2)).toEqual([protocolVersion * 10, protocolVersion]);
    expect(values).not.toContain(0);
  });

  it.each([
    'v1/devices/me/rpc/request/27',
    'v1/devices/me/rpc/response/27',
    'v1/devices/me/claim',
    'v2/fw/request/3/chunk/0',
    'v2/sw/request/3/chunk/14',
    'v1/gateway/claim',
    '$SYS/broker/connection/gate.cellar/state',
  ])('receives an acknowledgement of a message to %s, which is counted and not stored', async (topic) => {
    const before = await world.lastRecord();
    const count = await ignored();
    const client = await open(world.deviceToken, { protocolVersion });
    await publish(client, topic, '1');
    await publish(client, topic, '{"a":1}');
    expect(client.connected).toBe(true);
    expect(await ignored()).toBe(count + 2);
    expect(await world.lastRecord()).toEqual(before);
  });

  it.each([
    'ddp/record',
    'v1/devices/me/attribute',
    'v1/devices/me/attributes/request',
    'v1/devices/me/rpc/request/x',
    'v2/fw/request/3/chunk',
    '$SYS/broker/uptime',
  ])('gets a refusal for a message to %s', async (topic) => {
    const client = await open(world.deviceToken, { protocolVersion });
    await expect(publish(client, topic, '{"a":1}')).rejects.toThrow(/Topic Name invalid|Connection closed/);
    expect(client.connected).toBe(protocolVersion === 5);
  });

  it('receives acknowledgements in the order of its messages with many in flight', async () => {
    const client = await open(world.deviceToken, { protocolVersion });
    const sent = new Map<number, number>();
    const order: number[] = [];
    client.on('packetsend', (packet) => {
      if (packet.cmd === 'publish') sent.set(packet.messageId!, sent.size);
    });
    client.on('packetreceive', (packet) => {
      if (packet.cmd === 'puback') order.push(sent.get(packet.messageId!)!);
    });
    await Promise.all(
      Array.from({ length: 300 }, (_, count) => publish(client, 'v1/devices/me/telemetry', { many: count })),
    );
    expect(order).toEqual(Array.from({ length: 300 }, (_, index) => index));
  });
});

describe('MQTT message', () => {
  it('stores records at QoS 0 too, even when the client leaves at once', async () => {
    const deviceId = await makeDevice(world.tenant, 'ab-70');
    const client = await open(await makeDeviceToken(world.tenant, deviceId));
    for (let count = 0; count < 500; count++) client.publish('v1/devices/me/telemetry', JSON.stringify({ count }));
    await client.endAsync();
    const count = async () => (await recordsOf(world.tenant, deviceId)).length;
    while ((await count()) < 500);
    expect(await count()).toBe(500);
  });

  it('stores gateway telemetry for each of the devices', async () => {
    const other = await makeDevice(world.tenant, 'ab-02');
    const client = await open(world.ingestToken);
    await publish(client, 'v1/gateway/connect', { device: 'ab-02' });
    await publish(client, 'v1/gateway/telemetry', {
      'ab-01': [{ ts: Date.now(), values: { of: 'first' } }],
      'ab-02': [{ ts: Date.now(), values: { of: 'second' } }],
    });
    expect(await world.lastRecord()).toMatchObject({ data: { of: 'first' } });
    expect(await world.lastRecord(other)).toMatchObject({ data: { of: 'second' } });
  });

  it('decodes binary frames by the product of the device', async () => {
    const variable = {
      name: 'temperature',
      type: 'FLOAT32',
      mappings: [{ streamId: 1, streamType: 'BIN', varNumber: 1 }],
    };
    const made = await world.owner.post<{ id: string }>(`/organizations/${world.tenant.id}/products`, {
      name: 'Thermometer',
      version: '1',
      variables: [variable],
    });
    expect(made.status).toBe(200);
    const deviceId = await makeDevice(world.tenant, 'ab-03', { id: made.body.id });
    const client = await open(await makeDeviceToken(world.tenant, deviceId));
    await publish(client, 'ddp/frames/1/BIN', Buffer.from('0441AC0000', 'hex'));
    expect(await world.lastRecord(deviceId)).toMatchObject({ data: { temperature: 21.5 } });
  });

  it('decodes binary frames of stream 0 by variables numbered from 0', async () => {
    const mappings = [{ streamId: 0, streamType: 'RAW', varNumber: 0 }];
    const unused = [{ streamId: 300, streamType: 'BIN', varNumber: 77 }];
    const made = await world.owner.post<{ id: string }>(`/organizations/${world.tenant.id}/products`, {
      name: 'From 0',
      version: '1',
      variables: [
        { name: 'first', type: 'UINT8', mappings },
        { name: 'never', type: 'UINT8', mappings: unused },
      ],
    });
    const deviceId = await makeDevice(world.tenant, 'ab-04', { id: made.body.id });
    const client = await open(await makeDeviceToken(world.tenant, deviceId));
    await publish(client, 'ddp/frames/0/RAW', Buffer.from([7]));
    expect(await world.lastRecord(deviceId)).toMatchObject({
      data: { first: 7 },
      metadata: { decode: { status: 'ok' } },
    });
  });

  it('matches the device serial regardless of case and dashes', async () => {
    const deviceId = await makeDevice(world.tenant, 'CD-0E-F1');
    const client = await open(world.ingestToken);
    await publish(client, 'ddp/records', { serial: 'cd0ef1', data: { by: 'records' } });
    await publish(client, 'v1/gateway/telemetry', { 'CD0e-F1': [{ ts: Date.now(), values: { by: 'gateway' } }] });
    const named = await open(world.ingestToken, { clientId: 'cd-0e-f1' });
    await publish(named, 'v1/devices/me/telemetry', { by: 'identifier' });
    const own = await open(await makeDeviceToken(world.tenant, deviceId));
    await publish(own, 'ddp/records', { serial: 'CD0EF1', data: { by: 'token' } });
    const found = (await recordsOf(world.tenant, deviceId)).map(({ data }) => data['by']);
    expect(found.sort()).toEqual(['gateway', 'identifier', 'records', 'token']);
  });

  it('counts for the device whose serial is the client identifier, when it comes with a token of the organization', async () => {
    const client = await open(world.ingestToken, { clientId: 'AB01' });
    await publish(client, 'v1/devices/me/telemetry', { by: 'identifier' });
    expect(await world.lastRecord()).toMatchObject({ data: { by: 'identifier' } });
  });

  it('stores a repeated record key once', async () => {
    const before = await recordsOf(world.tenant, world.deviceId);
    const client = await open(world.deviceToken);
    await publish(client, 'ddp/records', [{ data: { a: 1 }, key: 'mqtt-1' }, { data: { a: 2 } }]);
    await publish(client, 'ddp/records', { data: { a: 1 }, key: 'mqtt-1' });
    const after = await recordsOf(world.tenant, world.deviceId);
    expect(after.length - before.length).toBe(2);
  });

  it('receives its acknowledgement after its hook delivery is committed', async () => {
    const { tenant, owner, deviceId } = world;
    const applications = `/applications/${tenant.id}`;
    const { body: application } = await owner.post<{ id: string }>(`/organizations/${tenant.id}/applications`, {
      name: 'A',
    });
    await owner.put(`${applications}/${application.id}/devices/${deviceId}`);
    const made = await owner.post<{ id: string }>(`${applications}/${application.id}/hooks`, {
      url: 'http://127.0.0.1:9/',
    });
    expect(made.status).toBe(200);
    const client = await open(world.deviceToken);
    await publish(client, 'v1/devices/me/telemetry', { hooked: true });
    const deliveries = await owner.get<unknown[]>(`${applications}/${application.id}/hooks/${made.body.id}/deliveries`);
    expect(deliveries.body).toHaveLength(1);
  });
});

describe('refused MQTT message', () => {
  let client: MqttClient;
  beforeAll(async () => {
    client = await connect(world.url, { username: world.ingestToken, protocolVersion: 5, clientId: '' });
  });

  afterAll(() => client.endAsync(true));

  it.each([
    ['invalid JSON', 'ddp/records', '{"serial":', 0x99, /not JSON/],
    ['lines of JSON', 'ddp/records', '{"serial":"ab-01"}\n{"serial":"ab-01"}', 0x99, /line 2.* in one array/],
    ['a text that is not UTF-8', 'ddp/records', Buffer.from([0xff, 0xfe]), 0x99, /UTF-8/],
    ['invalid telemetry', 'v1/gateway/telemetry', '[5]', 0x99, /gateway sends/],
    ['telemetry of unknown devices', 'v1/gateway/telemetry', '{"ff-ff":[{"a":1}]}', 0x83, /register it first/],
    ['names that are no serials', 'v1/gateway/telemetry', '{"Boiler 7":[{"a":1}]}', 0x99, /^Boiler 7: This is no/],
    ['a record without data', 'ddp/records', '{"serial":"ab-01"}', 0x99, /data or frame/],
    ['an unknown device', 'ddp/records', '{"serial":"ff-ff","data":{}}', 0x83, /register it first/],
    ['a missing device', 'v1/devices/me/telemetry', '{"a":1}', 0x99, /client identifier/],
    ['an unknown topic', 'devices/1/up', '{}', 0x90, /Publish to/],
    ['an invalid stream', 'ddp/frames/256/BIN', 'x', 0x90, /Publish to/],
    ['an invalid stream type', 'ddp/frames/1/toString', 'x', 0x90, /Publish to/],
  ])(
    'receives a reason in version 5 for %s, and leaves the connection open',
    async (_what, topic, payload, reason, words) => {
      const acknowledged = packetOf(client, 'puback');
      await expect(publish(client, topic, payload)).rejects.toMatchObject({ code: reason });
      expect(await acknowledged).toMatchObject({
        reasonCode: reason,
        properties: { reasonString: expect.stringMatching(words) },
      });
      expect(client.connected).toBe(true);
    },
  );

  it('receives the number of rejected records when the others are stored', async () => {
    const acknowledged = packetOf(client, 'puback');
    await publish(client, 'ddp/records', [
      { serial: 'ab-01', data: { b: 1 } },
      { serial: 'ff-ff', data: {} },
    ]);
    expect(await acknowledged).toMatchObject({
      reasonCode: 0,
      properties: {
        reasonString: expect.stringMatching(/^1 of 2 records were not stored; the first, at 1: No device/),
      },
    });
  });

  it('receives the names of the devices of a gateway that are unknown when the others are stored', async () => {
    const acknowledged = packetOf(client, 'puback');
    const telemetry = [{ values: { of: 'gateway' } }];
    await publish(client, 'v1/gateway/telemetry', { 'ff-ff': telemetry, 'ab-01': telemetry, eeee: telemetry });
    expect(await acknowledged).toMatchObject({
      reasonCode: 0,
      properties: { reasonString: expect.stringMatching(/^2 of 3 records .* ff-ff; register .* eeee; register it/) },
    });
  });

  it('receives no reason text when the client wants none or accepts only small packets', async () => {
    for (const properties of [{ requestProblemInformation: false }, { maximumPacketSize: 50 }]) {
      const quiet = await open(world.ingestToken, { protocolVersion: 5, properties });
      const acknowledged = packetOf(quiet, 'puback');
      await expect(publish(quiet, 'ddp/records', 'x')).rejects.toMatchObject({ code: 0x99 });
      expect((await acknowledged).properties?.reasonString).toBeUndefined();
    }
  });

  it('ends the connection in version 3.1.1, after earlier messages are acknowledged', async () => {
    const old = await open(world.ingestToken, { protocolVersion: 4 });
    const outcomes = await Promise.allSettled([
      publish(old, 'ddp/records', { serial: 'ab-01', data: { c: 1 } }),
      publish(old, 'ddp/records', 'no JSON'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});
