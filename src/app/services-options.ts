import type { Registry } from 'prom-client';
import type { CommitBus } from '#common/commit-bus.js';
import type { Log } from '#common/log.js';
import type { BlockMode, Config } from '#config/config.js';
import type { Records } from '#records/postgres/records.js';
import type { Tracing } from '#telemetry/tracing.js';
import type { Connections } from './connections.js';

export interface ServicesOptions {
  config: Config;
  /** Connection string of the database, embedded or not. */
  connectionString: string;
  /** Keys that encrypt stored secrets, the newest first. */
  secretKeys: readonly string[];
  log: Log;
  /** Returns milliseconds since the epoch. */
  clock?: () => number;
  /** Returns a number from 0 to less than 1. */
  random?: () => number;
  /** Maximum number of records that an alert rule has yet to decide. A rule with more is switched off. */
  maxUndecided?: number;
  /**
   * Duration of the warm-up that runs before the service listens, in milliseconds. It keeps the first calls of clients
   * from being slow.
   */
  warm?: number;
  /** Identifies this process when several processes serve one address. */
  worker?: WorkerPlace;
}

/** A process among those that serve one address. */
export interface WorkerPlace {
  number: number;
  /** Returns the metrics of all these processes in Prometheus format. */
  renderMetrics(): Promise<string>;
}

/** Options that all services are opened with. */
export interface Base extends Required<Omit<ServicesOptions, 'worker' | 'warm'>> {
  connections: Connections;
  registry: Registry;
  place: Records;
  /** Use of blocks; undefined on a cluster, where PostgreSQL has no finished days. */
  blockMode: BlockMode | undefined;
  tracing: Tracing | undefined;
  /** Publishes what this process commits. */
  bus: CommitBus;
}
