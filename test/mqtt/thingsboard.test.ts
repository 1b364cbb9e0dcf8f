import { afterEach, describe, expect, it } from '@jest/globals';
import type { MqttClient } from 'mqtt';
import { until } from '../support/until.js';
import { useMqtt } from './mqtt-world.js';
import { pushDevice } from './push-world.js';

const world = useMqtt();
const clients: MqttClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.end(true);
});

const me = 'v1/devices/me';
const publish = (client: MqttClient, topic: string, body: unknown) =>
  client.publishAsync(topic, JSON.stringify(body), { qos: 1 });

/** A device that subscribes to what ThingsBoard's client libraries subscribe to when they connect. */
const thingsBoardDevice = async () => {
  const device = await pushDevice(world, clients);
  const listener = await device.listen({ clientId: '' });
  const grants = await listener.client.subscribeAsync(
    [`${me}/attributes`, `${me}/attributes/response/+`, `${me}/rpc/request/+`, `${me}/rpc/response/+`],
    { qos: 1 },
  );
  expect(grants.map(({ qos }) => qos)).toEqual([1, 1, 1, 1]);
  return { device, ...listener };
};

describe("ThingsBoard's call over MQTT", () => {
  it('hands a command over with a number, which the device answers', async () => {
    const { device, client, message } = await thingsBoardDevice();
    const id = await device.send('0a');
    const { topic, body } = await message(0);
    const number = /^v1\/devices\/me\/rpc\/request\/(\d+)$/.exec(topic)?.[1];
    expect(body).toEqual({ method: 'raw', params: '0a' });
    await publish(client, `${me}/rpc/response/${number}`, { ok: true });
    expect(await device.find(id)).toMatchObject({ state: 'answered', detail: { result: { ok: true } } });
    expect(Number(number)).toBeLessThan(2 ** 31);
  });

  it('takes plain text as the answer, on a later connection too', async () => {
    const { device, client, message } = await thingsBoardDevice();
    const id = await device.send('0a');
    const { topic } = await message(0);
    await until(async () => (await device.find(id)).state === 'received');
    client.end(true);
    const later = await device.listen();
    await later.client.publishAsync(topic.replace('request', 'response'), 'done', { qos: 1 });
    expect(await device.find(id)).toMatchObject({ state: 'answered', detail: { result: 'done' } });
  });

  it('ignores an answer that names no call, or the one of another device', async () => {
    const { device, message } = await thingsBoardDevice();
    const id = await device.send('0a');
    const { topic } = await message(0);
    const other = await thingsBoardDevice();
    await publish(other.client, topic.replace('request', 'response'), 1);
    await publish(other.client, `${me}/rpc/response/1`, 1);
    await until(async () => (await device.find(id)).state === 'received');
    expect(await device.evidence(id)).toEqual(['service handed', 'device received']);
  });
});

describe("ThingsBoard's topic of attributes over MQTT", () => {
  it('stores reported values that the device publishes, but for what is no plain value', async () => {
    const { device, client } = await thingsBoardDevice();
    await publish(client, `${me}/attributes`, { firmware: '1.2', on: true, list: [1] });
    expect(await device.state()).toMatchObject([
      { name: 'firmware', reported: '1.2' },
      { name: 'on', reported: true },
    ]);
  });

  it('brings desired values at each change, with a list of those that were taken away', async () => {
    const { device, message } = await thingsBoardDevice();
    await device.desire({ interval: 60, mode: 'eco' });
    expect(await message(0)).toMatchObject({ topic: `${me}/attributes`, body: { interval: 60, mode: 'eco' } });
    await device.desire({ interval: 30, mode: null });
    expect((await message(1)).body).toEqual({ interval: 30, deleted: ['mode'] });
  });

  it('answers a request: client attributes as reported, shared ones as desired, all without keys', async () => {
    const { device, client, received, message } = await thingsBoardDevice();
    await publish(client, `${me}/attributes`, { a: 1, b: 2 });
    await device.desire({ c: 3, d: 4 });
    await message(0);
    received.length = 0;
    await publish(client, `${me}/attributes/request/7`, { clientKeys: 'a,x', sharedKeys: 'c' });
    expect(await message(0)).toMatchObject({
      topic: `${me}/attributes/response/7`,
      body: { client: { a: 1 }, shared: { c: 3 } },
    });
    await publish(client, `${me}/attributes/request/8`, {});
    expect((await message(1)).body).toEqual({ client: { a: 1, b: 2 }, shared: { c: 3, d: 4 } });
    await publish(client, `${me}/attributes/request/9`, { clientKeys: 'x' });
    expect(await message(2)).toMatchObject({ topic: `${me}/attributes/response/9`, body: {} });
  });
});
