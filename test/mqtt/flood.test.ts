import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLog } from '#common/log.js';
import { Pace } from '#mqtt/pace.js';
import { delayDuring } from '../attack/delay.js';
import { makeDevice, makeDeviceToken, recordsOf, useMqtt } from './mqtt-world.js';
import { RawClient } from './raw-client.js';

const lines: { msg: string; count?: number; reason?: string; level: string }[] = [];
const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line) as never) });
const world = useMqtt({}, { log });
const clients: RawClient[] = [];
let deviceId: string;
let token: string;
let devices = 0;
/** The packets of one device are counted together, so each test has its own device. */
beforeEach(async () => {
  deviceId = await makeDevice(world.tenant, `f0-0${devices++}`);
  token = await makeDeviceToken(world.tenant, deviceId);
});
const letIn = async (version: 4 | 5 = 5, more = {}) => {
  const client = await RawClient.as(token, world.url, version, more);
  clients.push(client);
  return client;
};
/** Waits until a client has the given number of packets of a kind. @throws when its connection ends before */
const answers = async (client: RawClient, cmd: string, count: number) => {
  while (client.packets.filter((packet) => packet.cmd === cmd).length < count) {
    if (client.socket.destroyed) throw new Error(`The connection ended before ${count} packets of ${cmd}.`);
    await new Promise((resolve) => setImmediate(resolve));
  }
};
afterEach(async () => {
  for (const client of clients) client.leave();
  await Promise.all(clients.splice(0).map((client) => client.closed()));
});

/** 192 kB of PINGREQ, and of SUBSCRIBE and UNSUBSCRIBE with one topic. */
const floods: [name: string, answer: string, bytes: Buffer][] = [
  ['PINGREQ', 'pingresp', Buffer.alloc(192 * 1024, Buffer.from('c000', 'hex'))],
  ['SUBSCRIBE', 'suback', Buffer.alloc(198 * 1000, Buffer.from('820700010000016100', 'hex'))],
  ['UNSUBSCRIBE', 'unsuback', Buffer.alloc(192 * 1024, Buffer.from('a206000100000161', 'hex'))],
];

describe('flood of MQTT packets that store nothing', () => {
  it.each(floods)(
    'blocks the event loop for less than 100 ms with %s over twenty connections',
    async (_name, answer, bytes) => {
      const flooding = await Promise.all(Array.from({ length: 20 }, () => letIn()));
      const { longest } = await delayDuring(async () => {
        for (const client of flooding) client.write(bytes);
        const other = await RawClient.as(world.ingestToken, world.url, 5, { clientId: 'ab-01' });
        clients.push(other);
        other.publish(1, { beside: 'a flood' });
        expect(await other.packet('puback')).toMatchObject({ reasonCode: 0 });
        await Promise.all(flooding.map((client) => answers(client, answer, 1)));
      });
      expect(longest).toBeLessThan(100);
    },
  );

  it('waits in the connection, which is read at a limited pace', async () => {
    const client = await letIn();
    client.write(floods[0]![2]);
    await answers(client, 'pingresp', 500);
    // The remaining packets are read at 50 a second, fewer than a hundred during the other connection's ping.
    const other = await letIn();
    other.send({ cmd: 'pingreq' });
    await other.packet('pingresp');
    expect(client.packets.length).toBeLessThan(700);
  });

  it('ends when its client leaves', async () => {
    const client = await letIn();
    client.write(floods[0]![2]);
    await answers(client, 'pingresp', 400);
    client.leave();
    await client.closed();
    const connections = async () => {
      const response = await fetch(`${world.service.url}/metrics`);
      return /^ddp_mqtt_connections (\d+)$/m.exec(await response.text())?.[1];
    };
    let open = await connections();
    while (open !== '0') open = await connections();
    expect(open).toBe('0');
  });

  it('delays no message that was sent before the client half-closes', async () => {
    const client = await letIn();
    for (let number = 1; number <= 150; number++) client.send({ cmd: 'pingreq' });
    client.publish(7, { after: 'pings' });
    client.socket.end();
    await client.closed();
    expect(client.packets.filter(({ cmd }) => cmd === 'pingresp')).toHaveLength(150);
    expect((await recordsOf(world.tenant, deviceId)).some(({ data }) => data['after'] === 'pings')).toBe(true);
  });
});

describe('pace of packets', () => {
  it('allows a burst, and then one packet every tenth of a second', () => {
    const pace = new Pace({ perSecond: 10, burst: 3 });
    expect([1, 1, 1, 1, 1].map((packets) => pace.spend(packets, 1000))).toEqual([0, 0, 0, 100, 200]);
    expect(pace.spend(1, 1200)).toBe(100);
    expect(pace.spend(1, 10_000)).toBe(0);
  });
});

describe('log of refused MQTT messages', () => {
  it('has one line for 50 refusals with the same token and reason', async () => {
    const client = await letIn();
    lines.length = 0;
    for (let number = 1; number <= 50; number++) client.publish(number, {}, 'no/such/topic');
    await answers(client, 'puback', 50);
    const refused = lines.filter(({ msg }) => msg.startsWith('MQTT message refused'));
    expect(refused).toMatchObject([{ reason: 'topicName' }]);
  });
});

describe('log of MQTT messages stored in part', () => {
  it('names the devices of a gateway that are unknown', async () => {
    const client = await RawClient.as(world.ingestToken, world.url);
    clients.push(client);
    lines.length = 0;
    const telemetry = [{ a: 1 }];
    client.publish(1, { 'ff-ff': telemetry, 'ab-01': telemetry, eeee: telemetry }, 'v1/gateway/telemetry');
    await answers(client, 'puback', 1);
    expect(lines.filter(({ msg }) => msg.startsWith('MQTT message'))).toMatchObject([
      { msg: 'MQTT message stored in part', message: expect.stringMatching(/^2 of 3 .*ff-ff.*eeee/) },
    ]);
  });
});

describe('Maximum Packet Size of an MQTT client', () => {
  it.each([1, 2, 3, 4])(
    'closes the connection for %i, which is too small for CONNACK, and logs no error',
    async (size) => {
      lines.length = 0;
      const client = await RawClient.to(world.url, 5);
      clients.push(client);
      client.hello(world.deviceToken, { properties: { maximumPacketSize: size } });
      await client.closed();
      expect(client.packets).toEqual([]);
      expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );

  it('skips an answer that is larger, and keeps the connection', async () => {
    const client = await letIn(5, { properties: { maximumPacketSize: 64 } });
    const subscriptions = Array.from({ length: 100 }, (_, index) => ({ topic: `t${index}`, qos: 0 as const }));
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions });
    client.send({ cmd: 'pingreq' });
    await client.packet('pingresp');
    expect(client.packets.map(({ cmd }) => cmd)).toEqual(['connack', 'pingresp']);
  });
});
