/**
 * The service that the files of one worker share. This process starts the service over a database of its own, sends the
 * addresses to the parent, and exits when the parent disconnects. Its argument is the place of records.
 */
import { readConfig } from '#config/config.js';
import { createDatabase } from './server.js';
import { startTestService } from './start-service.js';

/** Addresses of a shared service. */
export interface StartedService {
  url: string;
  mqttUrl: string | undefined;
  databaseUrl: string;
}

const [, , place] = process.argv;
globalThis.recordIndex = place === 'opensearch' ? place : undefined;
globalThis.recordBlocks = place === 'frozen' ? place : undefined;
const databaseUrl = await createDatabase();
const { hooks, mqtt } = readConfig({ HOOK_ALLOW_CIDRS: '127.0.0.0/8', MQTT_PORT: '0' });
const service = await startTestService(databaseUrl, { config: { hooks, mqtt } });
process.once('disconnect', () => void service.close().finally(() => process.exit()));
const { url, mqttUrl } = service;
process.send!({ url, mqttUrl, databaseUrl } satisfies StartedService);
