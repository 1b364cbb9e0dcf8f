import type { MqttClient } from 'mqtt';
import type { TestService } from '../support/service.js';
import { createTenant, type Tenant } from '../support/tenant.js';
import { makeDevice, makeDeviceToken, recordsOf } from './mqtt-world.js';

/** A device with a token of its own, to a service. */
export const deviceOf = async (
  service: TestService,
  serial: string,
): Promise<{ tenant: Tenant; id: string; token: string }> => {
  const tenant = await createTenant(service);
  const id = await makeDevice(tenant, serial);
  return { tenant, id, token: await makeDeviceToken(tenant, id) };
};

/** Publishes one after the other, many under way, until the connection ends; gives the numbers that were acknowledged. */
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

/** The numbers that {@link publishUntilGone} had stored. */
export const storedBy = async (tenant: Tenant, deviceId: string): Promise<Set<unknown>> =>
  new Set((await recordsOf(tenant, deviceId)).map(({ data }) => data['number']));

/** Whether all of some values are among others. */
export const isWithin = (some: ReadonlySet<unknown>, all: ReadonlySet<unknown>): boolean =>
  [...some].every((number) => all.has(number));
