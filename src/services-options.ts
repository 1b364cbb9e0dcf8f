import type { Registry } from 'prom-client';
import type { Config } from './config.js';
import type { Connections } from './connections.js';
import type { Log } from './log.js';
import type { ClusterStore } from './records/opensearch/cluster-store.js';
import type { Tracing } from './tracing/tracing.js';

/** What the services are opened with. */
export interface ServicesOptions {
  config: Config;
  /** The database, embedded or not. */
  connectionString: string;
  /** Keys for stored secrets, the newest first. */
  secretKeys: readonly string[];
  log: Log;
  /** Milliseconds since the epoch. */
  clock?: () => number;
  /** A number from 0 to less than 1. */
  random?: () => number;
  /** How long calls are made before the service listens, so that the first ones of others are not slow. Milliseconds. */
  warm?: number;
  /** Given where several processes serve one address: which of them this is. */
  worker?: WorkerPlace;
}

/** A process among those that serve one address. */
export interface WorkerPlace {
  number: number;
  /** The figures of all of them, as Prometheus reads them. */
  renderMetrics(): Promise<string>;
}

/** What every service is opened with. */
export interface Base extends Required<Omit<ServicesOptions, 'worker' | 'warm'>> {
  connections: Connections;
  registry: Registry;
  /** Undefined where records are searched in PostgreSQL. */
  cluster: ClusterStore | undefined;
  tracing: Tracing | undefined;
}
