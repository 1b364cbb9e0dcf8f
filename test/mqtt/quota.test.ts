import { afterEach, describe, expect, it } from '@jest/globals';
import type { MqttClient } from 'mqtt';
import { type QuotaValues, setQuota } from '../../src/operator/quota.js';
import { createTenant, withDatabase } from '../support/tenant.js';
import { connect, gone, makeDevice, makeDeviceToken, packetOf, recordsOf, useMqtt } from './mqtt-world.js';

const world = useMqtt();
const clients: MqttClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.end(true);
});

/** A device of an organization of its own. */
const newDevice = async () => {
  const tenant = await createTenant(world.service);
  const deviceId = await makeDevice(tenant, 'ab-01');
  const token = await makeDeviceToken(tenant, deviceId);
  return {
    tenant,
    deviceId,
    async connect(protocolVersion: 4 | 5): Promise<MqttClient> {
      const client = await connect(world.url, { username: token, protocolVersion });
      clients.push(client);
      return client;
    },
    /** Sets quotas, as an operator does. */
    limit: (values: Partial<QuotaValues>) =>
      withDatabase(world.service, (database) => setQuota(database, tenant.id, values)),
  };
};

const publish = (client: MqttClient, payload: object) =>
  client.publishAsync('ddp/records', JSON.stringify(payload), { qos: 1 });

/** Publishes until that is refused, as it is once the service has seen a new quota; gives the code. */
const refusedFor = async (client: MqttClient, payload: object): Promise<unknown> => {
  for (;;) {
    const code = await publish(client, payload).then(
      () => undefined,
      (error: { code?: unknown }) => error.code,
    );
    if (code !== undefined) return code;
  }
};

describe('a quota', () => {
  it('of records a day: version 5 is told at once which, and its connection stays', async () => {
    const device = await newDevice();
    const client = await device.connect(5);
    await device.limit({ recordsPerDay: 5 });
    const many = Array.from({ length: 6 }, () => ({ data: {} }));
    // More than the quota in one message: stored in whole until the service sees the quota, then never.
    expect(await refusedFor(client, many)).toBe(0x97);
    await device.limit({ recordsPerDay: 1_000_000 });
    for (;;) {
      const stored = await publish(client, { data: { stays: true } }).catch(() => undefined);
      if (stored !== undefined) break;
    }
    const [newest] = await recordsOf(device.tenant, device.deviceId);
    expect(newest).toMatchObject({ data: { stays: true } });
    expect(client.connected).toBe(true);
  });

  it('of stored bytes is one too, and its reason says so', async () => {
    const device = await newDevice();
    const client = await device.connect(5);
    await device.limit({ storedBytes: 1 });
    expect(await refusedFor(client, { data: { a: 1 } })).toBe(0x97);
    const acknowledged = packetOf(client, 'puback');
    await publish(client, { data: {} }).catch(() => undefined);
    expect((await acknowledged).properties?.reasonString).toMatch(/^The quota of 1 stored bytes is reached/);
  });

  it('ends the connection of version 3.1.1, which has no other way to say so', async () => {
    const device = await newDevice();
    const newer = await device.connect(5);
    await device.limit({ recordsPerDay: 1 });
    await refusedFor(newer, [{ data: {} }, { data: {} }]);
    const old = await device.connect(4);
    const outcomes = await Promise.allSettled([publish(old, [{ data: {} }, { data: {} }])]);
    await gone(old);
    expect(outcomes).toMatchObject([{ status: 'rejected' }]);
  });
});
