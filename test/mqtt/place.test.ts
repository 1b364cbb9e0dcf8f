import { afterEach, describe, expect, it } from '@jest/globals';
import { TokenScope } from '#entities/enums.js';
import { createTenant } from '../support/tenant.js';
import { mqttConfig, useMqtt } from './mqtt-world.js';
import { RawClient } from './raw-client.js';

const mqtt = mqttConfig().mqtt!;
const world = useMqtt({ CONNECTIONS_PER_ADDRESS: '10' }, { config: { mqtt: { ...mqtt, perToken: 20 } } });
const small = useMqtt({}, { config: { mqtt: { ...mqtt, connections: 8 } } });
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

/** Returns the number of open connections, or infinity while the address has too many to ask. */
const connections = async (): Promise<number> => {
  const response = await fetch(`${world.service.url}/metrics`).catch(() => undefined);
  const [, count] = /^ddp_mqtt_connections (\d+)$/m.exec((await response?.text()) ?? '') ?? [];
  return Number(count ?? Number.POSITIVE_INFINITY);
};

/** Resolves when the service has freed the slots of all clients that left. */
const allGone = async () => {
  while ((await connections()) > 0);
};

describe('limits of MQTT connections', () => {
  it('allows ten per address, without counting those with a token', async () => {
    // A connection counts towards the limit of its address until the service knows its token.
    for (let count = 0; count < 12; count++) await (await letIn()).packet('connack');
    // Each connection waits in one of several sockets of the service, so any of the eleven may be the last.
    const eleven = await Promise.all(Array.from({ length: 11 }, async () => keep(await RawClient.to(world.url))));
    await Promise.race(eleven.map((client) => client.closed()));
    const ten = eleven.filter(({ socket }) => !socket.destroyed);
    expect(ten).toHaveLength(10);
    const answers = await Promise.all(ten.map((client) => client.hello(world.deviceToken).packet('connack')));
    expect(answers).not.toContain(undefined);
  });

  it('allows 20 per token, and frees slots when clients leave', async () => {
    await allGone();
    for (let count = 0; count < 20; count++) await letIn(5);
    const one = keep(await RawClient.to(world.url, 5)).hello(world.deviceToken);
    expect(await one.packet('connack')).toMatchObject({ reasonCode: 0x97 });
    await one.closed();
    for (const client of clients) client.leave();
    await allGone();
    expect(await (await letIn(5)).packet('connack')).toMatchObject({ reasonCode: 0 });
  });

  it('allows eight per process, of which one organization gets six', async () => {
    const connackFor = async (token: string) =>
      keep(await RawClient.to(small.url, 5))
        .hello(token)
        .packet('connack');
    const other = await (await createTenant(small.service)).client({ scope: TokenScope.ingest });
    for (let count = 0; count < 6; count++)
      expect(await connackFor(small.deviceToken)).toMatchObject({ reasonCode: 0 });
    expect(await connackFor(small.ingestToken)).toMatchObject({
      reasonCode: 0x97,
      properties: { reasonString: expect.stringMatching(/^This organization has 6/) },
    });
    for (let count = 0; count < 2; count++) expect(await connackFor(other.token!)).toMatchObject({ reasonCode: 0 });
    expect(await connackFor(other.token!)).toMatchObject({
      reasonCode: 0x97,
      properties: { reasonString: expect.stringMatching(/^This service has 8/) },
    });
  });
});
