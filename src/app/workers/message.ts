import type { Registry } from 'prom-client';
import type { Config } from '#config/config.js';

/** Metrics of one process, in prom-client's form. */
export type Figures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The order that starts a worker. */
export interface Order {
  /** Number of the worker, from 1. Its replacement has the same number. */
  number: number;
  config: Config;
  connectionString: string;
  secretKeys: readonly string[];
}

/** Addresses of a process that serves. */
export interface Addresses {
  url: string;
  /** Undefined when MQTT is off. */
  mqttUrl: string | undefined;
}

/** Messages from the primary to a worker. */
export type ToWorker =
  | { kind: 'start'; order: Order }
  /** `all` means that the whole service stops; otherwise other workers keep serving. */
  | { kind: 'stop'; all: boolean }
  | { kind: 'collect'; id: number }
  | { kind: 'metrics'; id: number; text: string };

/** Messages from a worker to the primary. */
export type ToPrimary =
  | { kind: 'hello' }
  | ({ kind: 'ready' } & Addresses)
  | { kind: 'failed'; message: string }
  /** The answer to `collect`. A worker that ends sends its last metrics with the id 0. */
  | { kind: 'figures'; id: number; figures: Figures }
  | { kind: 'metrics'; id: number };

const kinds: ReadonlySet<unknown> = new Set([
  'start',
  'stop',
  'collect',
  'metrics',
  'hello',
  'ready',
  'failed',
  'figures',
]);

/** Whether a message is ours. Libraries send messages of their own over the same channel. */
const isOurs = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'kind' in message && kinds.has(message.kind);

/** Whether a message came from the primary. */
export const isToWorker = (message: unknown): message is ToWorker => isOurs(message);

/** Whether a message came from a worker. */
export const isToPrimary = (message: unknown): message is ToPrimary => isOurs(message);
