import type { Registry } from 'prom-client';
import type { Config } from '../config.js';

/** Figures of one process, as prom-client gives them. */
export type Figures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** What a worker is to do. */
export interface Order {
  /** Its number, from 1 on. The one that replaces it has the same. */
  number: number;
  config: Config;
  connectionString: string;
  secretKeys: readonly string[];
}

/** Where a process serves. */
export interface Addresses {
  url: string;
  /** Undefined where MQTT is off. */
  mqttUrl: string | undefined;
}

/** What the primary tells a worker. */
export type ToWorker =
  | { kind: 'start'; order: Order }
  /** `all`: the whole service ends; else others go on at the address. */
  | { kind: 'stop'; all: boolean }
  | { kind: 'collect'; id: number }
  | { kind: 'metrics'; id: number; text: string };

/** What a worker tells its primary. */
export type ToPrimary =
  | { kind: 'hello' }
  | ({ kind: 'ready' } & Addresses)
  | { kind: 'failed'; message: string }
  /** The answer to `collect`; its last figures come under 0, when it ends. */
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

/** Libraries send messages of their own over the same channel. */
const isOurs = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'kind' in message && kinds.has(message.kind);

/** Whether a message is one of the primary's. */
export const isToWorker = (message: unknown): message is ToWorker => isOurs(message);

/** Whether a message is one of a worker's. */
export const isToPrimary = (message: unknown): message is ToPrimary => isOurs(message);
