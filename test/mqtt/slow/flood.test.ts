import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TokenScope } from '#entities/enums.js';
import { type Child, startChild } from '../../fuzz/child.js';
import { useService } from '../../support/service.js';
import { createTenant } from '../../support/tenant.js';
import { makeDevice, makeDeviceToken } from '../mqtt-world.js';
import { RawClient } from '../raw-client.js';

/** Milliseconds of CPU time for which the event loop may block. */
const frozen = 250;
/** MiB: a heap of 512 and the memory beside it. */
const most = 900;
const pings = Buffer.alloc(192 * 1024, Buffer.from('c000', 'hex'));

const service = useService();
let child: Child;
const clients: RawClient[] = [];
beforeAll(async () => {
  child = await startChild(service.databaseUrl);
});
afterAll(async () => {
  for (const client of clients) client.leave();
  await child?.end();
});

const connectionsOf = async (): Promise<number> => {
  const metrics = await (await fetch(`${child.url}/metrics`)).text();
  return Number(/^ddp_mqtt_connections (\d+)$/m.exec(metrics)?.[1]);
};

describe('192 kB of PINGREQ on each of 400 connections of one device', () => {
  it('leaves the event loop responsive and memory low, and ends when the clients leave', async () => {
    const tenant = await createTenant(service);
    const deviceToken = await makeDeviceToken(tenant, await makeDevice(tenant, 'f1-01'));
    await makeDevice(tenant, 'f1-02');
    const { token } = await tenant.client({ scope: TokenScope.ingest });
    const other = await RawClient.as(token!, child.mqttUrl, 5, { clientId: 'f1-02' });
    clients.push(other);
    const flooding: RawClient[] = [];
    // An address may have 200 connections that have not shown a token yet.
    while (flooding.length < 400)
      flooding.push(
        ...(await Promise.all(Array.from({ length: 100 }, () => RawClient.as(deviceToken, child.mqttUrl)))),
      );
    clients.push(...flooding);
    expect(await connectionsOf()).toBe(401);
    await child.figures();

    for (const client of flooding) client.write(pings);
    for (let number = 1; number <= 200; number++) {
      other.publish(number, { beside: 'a flood', number });
      while (other.packets.filter(({ cmd }) => cmd === 'puback').length < number) {
        if (other.socket.destroyed) throw new Error('The connection beside the flood ended.');
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const { longest, resident } = await child.figures();
    expect(longest).toBeLessThan(frozen);
    expect(resident).toBeLessThan(most);
    const answered = flooding.flatMap(({ packets }) => packets).filter(({ cmd }) => cmd === 'pingresp').length;
    expect(answered).toBeGreaterThan(0);
    expect(answered).toBeLessThan(400 * (pings.length / 2));

    for (const client of flooding) client.leave();
    while ((await connectionsOf()) > 1);
    expect((await child.figures()).longest).toBeLessThan(frozen);
    expect((await fetch(`${child.url}/healthz`)).status).toBe(200);
  }, 120_000);
});
