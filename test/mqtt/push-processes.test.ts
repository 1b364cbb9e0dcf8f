import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { MqttClient } from 'mqtt';
import type { Service } from '#app/app.js';
import { Client } from '../support/client.js';
import { poolOf } from '../support/connection.js';
import { startTestService } from '../support/start-service.js';
import { until } from '../support/until.js';
import { useMqtt } from './mqtt-world.js';
import { pushDevice } from './push-world.js';
import { RawClient } from './raw-client.js';

const world = useMqtt({ REQUEST_TIMEOUT: '2s' });
const clients: MqttClient[] = [];
/** Another process over the same database. */
let other: Service;
let owner: Client;
beforeAll(async () => {
  other = await startTestService(world.service.databaseUrl);
  owner = new Client(`${other.url}/ddp/v1`, world.owner.token);
});
afterAll(() => other.close());
afterEach(() => {
  for (const client of clients.splice(0)) client.end(true);
});

describe('a device that listens over MQTT at one of two processes', () => {
  it('gets commands and desired values that the other stores', async () => {
    const device = await pushDevice(world, clients);
    const { client, message } = await device.listen();
    await client.subscribeAsync(['ddp/commands', 'ddp/state'], { qos: 1 });
    await owner.post(`${device.path}/commands`, { name: 'raw', payload: '01' });
    expect(await message(0)).toMatchObject({ topic: 'ddp/commands', body: { payload: '01' } });
    await owner.put(`${device.path}/state`, { desired: { a: 1 } });
    expect(await message(1)).toMatchObject({ body: { desired: { a: { value: 1, version: 1 } } } });
    await owner.put(`${device.path}/state`, { desired: { a: 2 } });
    expect(await message(2)).toMatchObject({ body: { desired: { a: { value: 2, version: 2 } } } });
    const metrics = await (await fetch(`${world.service.url}/metrics`)).text();
    expect(metrics.match(/^ddp_mqtt_sent_total.*$/gm)?.sort()).toEqual([
      'ddp_mqtt_sent_total{what="command"} 1',
      'ddp_mqtt_sent_total{what="state"} 2',
    ]);
  });

  it('gets the next command once it has answered over HTTP at the other, without a PUBACK', async () => {
    const device = await pushDevice(world, clients);
    const [first, second] = [await device.send('01'), await device.send('02')];
    const client = await RawClient.as(device.token, world.url, 5);
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'ddp/commands', qos: 1 }] });
    await client.packet('publish');
    await new Client(owner.base, device.token).post(`${device.path}/commands/${first}/result`, { result: 1 });
    await until(async () => (await device.find(second)).state === 'handed');
    expect(await device.evidence(first)).toEqual(['service handed', 'device answered']);
    client.leave();
  });
});

describe('a client over MQTT that does not read', () => {
  it('gets no more commands than its connection takes, until that ends', async () => {
    const device = await pushDevice(world, clients);
    const id = await device.send('ab'.repeat(4096));
    await poolOf(world.service.databaseUrl).query(`
      insert into command (id, organization_id, device_id, name, payload, confirmed, secret, expires_at)
      select gen_random_uuid(), organization_id, device_id, name, payload, false, false, expires_at
        from command, generate_series(1, 999) where id = '${id}'`);
    const client = await RawClient.as(device.token, world.url);
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'ddp/commands', qos: 0 }] });
    await client.packet('suback');
    client.socket.pause();
    const connections = async () =>
      /^ddp_mqtt_connections (\d+)$/m.exec(await (await fetch(`${world.service.url}/metrics`)).text())?.[1];
    await until(async () => (await connections()) === '0');
    const waiting = await poolOf(world.service.databaseUrl).query(
      `select from command where device_id = '${device.id}' and state = 'waiting'`,
    );
    expect(waiting.rowCount).toBeGreaterThan(100);
    client.leave();
  });
});
