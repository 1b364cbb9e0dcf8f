import type { MqttClient } from 'mqtt';
import type { TestService } from '../support/service.js';
import { createTenant, type Tenant } from '../support/tenant.js';
import { makeDevice, makeDeviceToken, recordsOf } from './mqtt-world.js';

/** Creates a device with its own token. */
export const deviceOf = async (
  service: TestService,
  serial: string,
): Promise<{ tenant: Tenant; id: string; token: string }> => {
  const tenant = await createTenant(service);
  const id = await makeDevice(tenant, serial);
  return { tenant, id, token: await makeDeviceToken(tenant, id) };
};

/** Publishes numbers with many messages in flight until the connection ends; returns the acknowledged numbers. */
export const publishUntilGone = (client: MqttClient): { acknowledged: Set<number>; over: Promise<unknown> } => {
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

/** Returns the stored numbers of {@link publishUntilGone}. */
export const storedBy = async (tenant: Tenant, deviceId: string): Promise<Set<unknown>> =>
  new Set((await recordsOf(tenant, deviceId)).map(({ data }) => data['number']));

/** Whether all of the first values are among the second. */
export const isWithin = (some: ReadonlySet<unknown>, all: ReadonlySet<unknown>): boolean =>
  [...some].every((number) => all.has(number));
