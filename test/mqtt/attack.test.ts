import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generate } from 'mqtt-packet';
import { recordsOf, useMqtt } from './mqtt-world.js';
import { RawClient } from './raw-client.js';

/** Disconnects silent and slow clients after three seconds. */
const world = useMqtt({ REQUEST_TIMEOUT: '3s' });
const clients: RawClient[] = [];
const keep = (client: RawClient) => {
  clients.push(client);
  return client;
};
const letIn = async (version: 4 | 5 = 4) => keep(await RawClient.as(world.deviceToken, world.url, version));
afterEach(async () => {
  for (const client of clients) client.leave();
  await Promise.all(clients.splice(0).map((client) => client.closed()));
});

describe('MQTT client without a token', () => {
  it('loses its connection when it sends nothing', async () => {
    const client = keep(await RawClient.to(world.url));
    await client.closed();
    expect(client.packets).toEqual([]);
  });

  it('loses its connection when its CONNECT stays incomplete', async () => {
    const client = keep(await RawClient.to(world.url)).write(Buffer.from('10200004', 'hex'));
    expect(await client.closed()).toBe(true);
  });

  it.each([
    ['a large message instead of CONNECT', '30ffff7f'],
    ['a CONNECT of 256 MiB', '10ffffff7f'],
    ['a length that does not end', '10ffffffff7f'],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n').toString('hex')],
  ])('loses its connection at once for %s', async (_what, hex) => {
    const client = keep(await RawClient.to(world.url)).write(Buffer.from(hex, 'hex'));
    expect(await client.closed()).toBe(true);
  });
});

describe('MQTT client with a token', () => {
  it('receives DISCONNECT when it announces a message that is too large, before it sends the message', async () => {
    const client = (await letIn(5)).write(Buffer.from('32818040', 'hex'));
    expect(await client.packet('disconnect')).toMatchObject({ reasonCode: 0x95 });
    await client.closed();
  });

  it('receives PUBACK for a message of nearly one mebibyte', async () => {
    const client = (await letIn(5)).publish(1, { text: 'x'.repeat(2 ** 20 - 200) });
    expect(await client.packet('puback')).toMatchObject({ messageId: 1 });
  });

  it('receives DISCONNECT for properties that take long to read', async () => {
    const userProperties = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`p${index}`, '']));
    const packet = {
      cmd: 'publish',
      topic: 'ddp/records',
      payload: '{}',
      qos: 1,
      messageId: 1,
      dup: false,
      retain: false,
    };
    const client = (await letIn(5)).write(
      generate({ ...packet, properties: { userProperties } } as never, { protocolVersion: 5 }),
    );
    expect(await client.packet('disconnect')).toMatchObject({ reasonCode: 0x95 });
  });

  it('receives DISCONNECT when it does not finish a message', async () => {
    const client = (await letIn(5)).write(Buffer.from('32ff3f0001', 'hex'));
    expect(await client.packet('disconnect')).toMatchObject({ reasonCode: 0x8d });
    await client.closed();
  });

  it('receives PUBACK "topic name invalid" for the longest possible topic, and stays connected', async () => {
    const client = (await letIn(5)).publish(1, {}, 'x'.repeat(65_535)).publish(2, { after: 'topic' });
    expect(await client.packet('puback')).toMatchObject({ messageId: 1, reasonCode: 0x90 });
    while (client.packets.length < 3) await once(client.socket, 'data');
    expect(client.packets.at(-1)).toMatchObject({ messageId: 2, reasonCode: 0 });
  });

  it('receives all acknowledgements when it half-closes the connection, before the service closes it', async () => {
    const client = await letIn(5);
    for (let number = 1; number <= 50; number++) client.publish(number, { half: number });
    client.socket.end();
    await client.closed();
    const acknowledged = client.packets.flatMap((packet) => (packet.cmd === 'puback' ? [packet.messageId] : []));
    expect(acknowledged).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it('has its messages stored when it disconnects right after sending them', async () => {
    const client = await letIn(5);
    for (let number = 1; number <= 50; number++) client.publish(number, { left: number });
    client.send({ cmd: 'disconnect' });
    await client.closed();
    const stored = (await recordsOf(world.tenant, world.deviceId)).flatMap(({ data }) => data['left'] ?? []);
    expect(new Set(stored).size).toBe(50);
  });

  it('receives PINGRESP for each PINGREQ', async () => {
    const client = (await letIn()).send({ cmd: 'pingreq' });
    expect(await client.packet('pingresp')).toBeDefined();
  });

  it('receives DISCONNECT when it is silent beyond its keep-alive', async () => {
    const client = keep(await RawClient.as(world.deviceToken, world.url, 5, { keepalive: 1 }));
    expect(await client.packet('disconnect')).toMatchObject({ reasonCode: 0x8d });
    await client.closed();
  });

  it('leaves the service available to others, whatever bytes it sends', async () => {
    const good = generate(
      { cmd: 'publish', topic: 'ddp/records', payload: '{"data":{}}', qos: 1, messageId: 1, dup: false, retain: false },
      { protocolVersion: 5, properties: {} },
    );
    const mutated = fc
      .tuple(fc.nat(good.length - 1), fc.uint8Array({ minLength: 1, maxLength: 4 }))
      .map(([at, bytes]) => Buffer.concat([good.subarray(0, at), bytes, good.subarray(at + bytes.length)]));
    const anyBytes = fc
      .tuple(fc.integer({ min: 0, max: 255 }), fc.uint8Array({ maxLength: 60 }))
      .map(([type, bytes]) => Buffer.from([type, bytes.length, ...bytes]));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(4, 5), fc.oneof(mutated, anyBytes), async (version, bytes) => {
        const client = await RawClient.as(world.deviceToken, world.url, version as 4 | 5);
        client.write(bytes);
        client.socket.end();
        await client.closed();
      }),
      { numRuns: 60 },
    );
    const client = (await letIn(5)).publish(5, { after: 'all' });
    expect(await client.packet('puback')).toMatchObject({ messageId: 5, reasonCode: 0 });
  }, 120_000);
});
