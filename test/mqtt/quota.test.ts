import { afterEach, describe, expect, it } from '@jest/globals';
import type { MqttClient } from 'mqtt';
import { type QuotaValues, setQuota } from '#operator/quota.js';
import { createTenant, withDatabase } from '../support/tenant.js';
import { connect, gone, makeDevice, makeDeviceToken, packetOf, recordsOf, useMqtt } from './mqtt-world.js';

const world = useMqtt();
const clients: MqttClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.end(true);
});

/** Creates a device in an organization of its own. */
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
    /** Sets quotas as an operator does. */
    limit: (values: Partial<QuotaValues>) =>
      withDatabase(world.service, (database) => setQuota(database, tenant.id, values)),
  };
};

const publish = (client: MqttClient, payload: object) =>
  client.publishAsync('ddp/records', JSON.stringify(payload), { qos: 1 });

/** Publishes until the service has seen the new quota and refuses. Returns the reason code. */
const refusedFor = async (client: MqttClient, payload: object): Promise<unknown> => {
  for (;;) {
    const code = await publish(client, payload).then(
      () => undefined,
      (error: { code?: unknown }) => error.code,
    );
    if (code !== undefined) return code;
  }
};

describe('quota over MQTT', () => {
  it('returns "quota exceeded" in version 5 for records per day, and leaves the connection open', async () => {
    const device = await newDevice();
    const client = await device.connect(5);
    await device.limit({ recordsPerDay: 5 });
    const many = Array.from({ length: 6 }, () => ({ data: {} }));
    // One message above the quota is stored whole until the service sees the quota, and refused from then on.
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

  it('names the quota of stored bytes in the reason', async () => {
    const device = await newDevice();
    const client = await device.connect(5);
    await device.limit({ storedBytes: 1 });
    expect(await refusedFor(client, { data: { a: 1 } })).toBe(0x97);
    const acknowledged = packetOf(client, 'puback');
    await publish(client, { data: {} }).catch(() => undefined);
    expect((await acknowledged).properties?.reasonString).toMatch(/^The quota of 1 stored bytes is reached/);
  });

  it('ends the connection in version 3.1.1', async () => {
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
