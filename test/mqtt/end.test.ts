import type { ChildProcess } from 'node:child_process';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Service } from '#app/app.js';
import { ended } from '../support/command.js';
import { useDatabase } from '../support/database.js';
import { startTestService } from '../support/start-service.js';
import { deviceOf, isWithin, publishUntilGone, storedBy } from './end-world.js';
import { connect, mqttConfig, packetOf } from './mqtt-world.js';

const database = useDatabase();
const started: ChildProcess[] = [];
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await Promise.all(started.map(ended));
});

describe('shutdown of the MQTT endpoint', () => {
  it('acknowledges all stored messages, and sends DISCONNECT in version 5', async () => {
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
