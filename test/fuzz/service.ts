import 'reflect-metadata';
import { once } from 'node:events';
import process from 'node:process';
import { readConfig } from '#config/config.js';
import { startTestService } from '../support/start-service.js';

/** Measurements since the last request for them. */
export interface Figures {
  /** Longest time for which the event loop was blocked, in milliseconds of CPU time. */
  longest: number;
  /** Memory of the process, in MiB. */
  resident: number;
}

/** The addresses of the service. */
export interface Addresses {
  url: string;
  mqttUrl: string;
}

/*
 * Runs a service in a process whose memory the parent limits. The first message names its database; each later one asks
 * for measurements.
 */
process.on('disconnect', () => process.exit());
const [{ databaseUrl }] = (await once(process, 'message')) as [{ databaseUrl: string }];
const { hooks, mqtt } = readConfig({ MQTT_PORT: '0', HOOK_ALLOW_CIDRS: '127.0.0.0/8' });
const service = await startTestService(databaseUrl, { config: { hooks, mqtt } });

const threadTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let longest = 0;
let last = threadTime();
setInterval(() => {
  const now = threadTime();
  longest = Math.max(longest, now - last);
  last = now;
}, 1);

process.on('message', () => {
  process.send!({ longest, resident: process.memoryUsage.rss() / 2 ** 20 } satisfies Figures);
  longest = 0;
});
process.send!({ url: service.url, mqttUrl: service.mqttUrl! } satisfies Addresses);
