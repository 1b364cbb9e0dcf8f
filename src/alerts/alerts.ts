import type pg from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createPollLoop } from '../poll-loop.js';
import {
  type AlongsideOptions,
  decideAlongside,
  type MatchRecords,
  type OnCostly,
  type TellTurns,
} from './alongside.js';
import type { AlertRecord } from './decide.js';
import { eventRows } from './event.js';
import { createRuleHealth } from './health.js';
import { createMetrics } from './metrics.js';
import { type TellEvents, tellClosings } from './notice.js';
import { sweep, type TellClaimed } from './sweep.js';

/** The sweep looks this often, in milliseconds. It is also the beat of {@link beat}. */
const sweepInterval = 2000;

/** Settings of alerts. */
export interface AlertsOptions {
  /** A pool of which storing records takes no connections. */
  pool: pg.Pool;
  clock: () => number;
  log: Logger;
  registry: Registry;
  match: MatchRecords;
  /** Stores the deliveries of events in the transaction. */
  tell: TellEvents;
  /** Stores the deliveries of events that triggers noted. Returns how many, and what is to be called after the commit. */
  tellNoticed: TellClaimed;
}

/** Alerts, as the rest of the service sees them. */
export interface Alerts {
  /** Decides rules over records in the transaction that stores them. Returns what is to be called after the commit. */
  alongside(tx: pg.PoolClient, stored: readonly AlertRecord[], onCostly?: OnCostly): Promise<(() => void) | undefined>;
  /** Looks once for what is due. */
  sweep(): Promise<void>;
  /** Hints that something is due or closed. */
  wake(): void;
  start(): void;
  close(): Promise<void>;
}

/** Opens alerts over a database. */
export function createAlerts({ pool, clock, log, registry, match, tell, tellNoticed }: AlertsOptions): Alerts {
  const metrics = createMetrics({ registry, read: async (query) => (await pool.query<object>(query)).rows });
  const health = createRuleHealth({ pool, clock, log, count: metrics.countQuery });
  const tellTurns: TellTurns = async (tx, turns) => {
    const of = (kind: 'opened' | 'closed') =>
      turns.filter((turn) => turn.kind === kind).map(({ episodeId }) => episodeId);
    const closed = await eventRows(tx, 'alert.closed', of('closed'));
    const opened = await eventRows(tx, 'alert.opened', of('opened'));
    const wake = await tell(tx, [...closed, ...opened]);
    return () => {
      metrics.countTurns('opened', opened.length);
      metrics.countTurns('closed', closed.length);
      wake?.();
    };
  };
  const options: AlongsideOptions = { clock, match, tell: tellTurns, health };
  const claims = [(tx: pg.PoolClient) => tellClosings(tx, tell), tellNoticed];
  const run = async () => {
    const begun = performance.now();
    await sweep({ pool, clock, tell: tellTurns, claims });
    metrics.observeSweep((performance.now() - begun) / 1000);
  };
  const loop = createPollLoop({
    poll: run,
    interval: sweepInterval,
    rest: () => 50,
    onFailure: (error) => log.warn({ err: error }, 'alerts that are due were not found; they will be looked for again'),
  });
  return {
    alongside: (tx, stored, onCostly) => decideAlongside(tx, stored, options, onCostly),
    sweep: run,
    wake: () => loop.wake(true),
    start: () => loop.start(),
    async close() {
      await loop.close();
      await health.close();
    },
  };
}
