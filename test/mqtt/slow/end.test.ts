import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ended, startCommand } from '../../support/command.js';
import { useDatabase } from '../../support/database.js';
import { type TestService } from '../../support/service.js';
import { startTestService } from '../../support/start-service.js';
import { deviceOf, isWithin, publishUntilGone, storedBy } from '../end-world.js';
import { connect, packetOf } from '../mqtt-world.js';

const database = useDatabase();
const started: ChildProcess[] = [];
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await Promise.all(started.map(ended));
});

/** Starts a service in a separate process. */
const serve = async (settings: Record<string, string> = {}): Promise<{ child: ChildProcess; service: TestService }> => {
  const child = startCommand(['serve', '--json'], {
    DATABASE_URL: database.url,
    SECRET_KEY: 'a key for tests',
    PORT: '0',
    MQTT_PORT: '0',
    RATE_LIMIT: '0',
    LOG_LEVEL: 'fatal',
    WORKERS: '1',
    ...settings,
  });
  started.push(child);
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  return { child, service: { ...(JSON.parse(line) as { url: string; mqttUrl: string }), databaseUrl: database.url } };
};

describe('MQTT with several workers', () => {
  it('accepts clients at one address', async () => {
    const { child, service } = await serve({ WORKERS: '2' });
    const { tenant, id, token } = await deviceOf(service, 'e0-03');
    const clients = await Promise.all(
      Array.from({ length: 4 }, () => connect(service.mqttUrl!, { username: token, protocolVersion: 5 })),
    );
    const goodbyes = clients.map((client) => packetOf(client, 'disconnect'));
    await Promise.all(
      clients.map((client, number) =>
        client.publishAsync('v1/devices/me/telemetry', JSON.stringify({ number }), { qos: 1 }),
      ),
    );
    expect([...(await storedBy(tenant, id))].sort()).toEqual([0, 1, 2, 3]);
    child.kill('SIGTERM');
    expect(await Promise.all(goodbyes)).toHaveLength(4);
    expect(await ended(child)).toBe(0);
  }, 120_000);

  it('names MQTT_PORT when the port is taken', async () => {
    const { service } = await serve();
    const { port } = new URL(service.mqttUrl!);
    const child = startCommand(['serve'], {
      DATABASE_URL: database.url,
      SECRET_KEY: 'a key for tests',
      PORT: '0',
      MQTT_PORT: port,
      LOG_LEVEL: 'fatal',
    });
    started.push(child);
    let written = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (written += text));
    expect(await ended(child)).toBe(1);
    expect(written).toMatch(/is taken.*MQTT_PORT=/);
  }, 120_000);
});

describe('MQTT with a service that is killed', () => {
  it('leaves every acknowledged message stored', async () => {
    const { child, service } = await serve();
    const staying = await startTestService(database.url);
    const { tenant, id, token } = await deviceOf({ url: staying.url, databaseUrl: database.url }, 'e0-02');
    const client = await connect(service.mqttUrl!, { username: token });
    const { acknowledged, over } = publishUntilGone(client);
    while (acknowledged.size < 300) await packetOf(client, 'puback');
    child.kill('SIGKILL');
    await ended(child);
    await over;
    expect(isWithin(acknowledged, await storedBy(tenant, id))).toBe(true);
    await staying.close();
  }, 120_000);
});
