import { afterEach, describe, expect, it } from '@jest/globals';
import { connect, useMqtt } from './mqtt-world.js';
import { RawClient } from './raw-client.js';

/** Two requests per second for a token or an unknown address, with a burst of four. */
const world = useMqtt({ INGEST_RATE_LIMIT: '2', RATE_LIMIT: '2' });
const clients: RawClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.leave();
});

describe('rate limit over MQTT', () => {
  it('delays messages of a token that MQTT and HTTP share, and loses none', async () => {
    const client = await connect(world.url, { username: world.deviceToken });
    const answers: string[] = [];
    const sent = Array.from({ length: 7 }, async (_, count) => {
      await client.publishAsync('v1/devices/me/telemetry', JSON.stringify({ count }), { qos: 1 });
      answers.push('stored');
    });
    await sent[0];
    const device = `/devices/${world.tenant.id}/${world.deviceId}`;
    const limited = await fetch(`${world.service.url}/ddp/v1${device}/records`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.deviceToken}`, 'content-type': 'application/json' },
      body: '{"data":{}}',
    });
    expect(limited.status).toBe(429);
    expect(answers.length).toBeLessThan(7);
    await Promise.all(sent);
    client.end(true);
  });

  it('counts unknown tokens by address, together with those over HTTP', async () => {
    const refusal = async () => {
      const client = await RawClient.to(world.url, 5);
      clients.push(client);
      return (await client.hello('ddp_unknown').packet('connack'))?.reasonCode;
    };
    const codes = await Promise.all(Array.from({ length: 5 }, refusal));
    expect(codes.toSorted()).toEqual([0x86, 0x86, 0x86, 0x86, 0x9f]);
    const { status } = await fetch(`${world.service.url}/ddp/v1/account`, { headers: { authorization: 'Bearer x' } });
    expect(status).toBe(429);
  });
});
