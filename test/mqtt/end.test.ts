import type { ChildProcess } from 'node:child_process';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { MqttClient } from 'mqtt';
import type { Service } from '../../src/app.js';
import { ended } from '../support/command.js';
import { useDatabase } from '../support/database.js';
import { type TestService } from '../support/service.js';
import { startTestService } from '../support/start-service.js';
import { createTenant, type Tenant } from '../support/tenant.js';
import { connect, makeDevice, makeDeviceToken, mqttConfig, packetOf, recordsOf } from './mqtt-world.js';

const database = useDatabase();
const started: ChildProcess[] = [];
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await Promise.all(started.map(ended));
});

/** A device with a token of its own, to a service. */
const deviceOf = async (
  service: TestService,
  serial: string,
): Promise<{ tenant: Tenant; id: string; token: string }> => {
  const tenant = await createTenant(service);
  const id = await makeDevice(tenant, serial);
  return { tenant, id, token: await makeDeviceToken(tenant, id) };
};

/** Publishes one after the other, many under way, until the connection ends; gives the numbers that were acknowledged. */
const publishUntilGone = (client: MqttClient): { acknowledged: Set<number>; over: Promise<unknown> } => {
  const acknowledged = new Set<number>();
  let next = 0;
  const sender = async () => {
    for (;;) {
      const number = next++;
      await client.publishAsync('v1/devices/me/telemetry', JSON.stringify({ number }), { qos: 1 });
      acknowledged.add(number);
    }
  };
  return { acknowledged, over: Promise.allSettled(Array.from({ length: 50 }, sender)) };
};

/** The numbers that are stored. */
const storedBy = async (tenant: Tenant, deviceId: string): Promise<Set<unknown>> =>
  new Set((await recordsOf(tenant, deviceId)).map(({ data }) => data['number']));

const isWithin = (some: ReadonlySet<unknown>, all: ReadonlySet<unknown>): boolean =>
  [...some].every((number) => all.has(number));

describe('a service that is stopped', () => {
  it('acknowledges what it has stored, and says goodbye in version 5', async () => {
    const stopping: Service = await startTestService(database.url, { config: mqttConfig() });
    const staying: Service = await startTestService(database.url, { config: mqttConfig() });
    const { tenant, id, token } = await deviceOf({ url: staying.url, databaseUrl: database.url }, 'e0-01');
    const client = await connect(stopping.mqttUrl!, { username: token, protocolVersion: 5 });
    const goodbye = packetOf(client, 'disconnect');
    const { acknowledged, over } = publishUntilGone(client);
    while (acknowledged.size < 200) await packetOf(client, 'puback');
    await stopping.close();
    expect(await goodbye).toMatchObject({ reasonCode: 0x8b });
    await over;
    const stored = await storedBy(tenant, id);
    expect(isWithin(acknowledged, stored)).toBe(true);
    expect(stored.size).toBe(acknowledged.size);
    await staying.close();
  }, 120_000);
});
