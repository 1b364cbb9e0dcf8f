import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { connect, useMqtt } from './mqtt-world.js';
import { RawClient } from './raw-client.js';

/** A self-signed certificate for 127.0.0.1, used in tests only. */
const [certFile, keyFile] = ['test/data/mqtt/cert.pem', 'test/data/mqtt/key.pem'];
const world = useMqtt({ MQTT_TLS_CERT: certFile, MQTT_TLS_KEY: keyFile, REQUEST_TIMEOUT: '2s' });

describe('MQTT over TLS', () => {
  it('stores messages of an encrypted connection', async () => {
    expect(world.url).toMatch(/^mqtts:/);
    const client = await connect(world.url, { username: world.deviceToken, ca: readFileSync(certFile) });
    await client.publishAsync('v1/devices/me/telemetry', '{"secret":true}', { qos: 1 });
    expect(await world.lastRecord()).toMatchObject({ data: { secret: true } });
    await client.endAsync();
  });

  it('closes connections that are not encrypted or send nothing', async () => {
    const plain = (await RawClient.to(world.url)).hello(world.deviceToken);
    await plain.closed();
    const silent = await RawClient.to(world.url);
    await silent.closed();
    expect([...plain.packets, ...silent.packets]).toEqual([]);
  });

  it('requires certificate and key together', () => {
    expect(() => readConfig({ MQTT_PORT: '8883', MQTT_TLS_CERT: certFile })).toThrow(/must be set together/);
  });
});
