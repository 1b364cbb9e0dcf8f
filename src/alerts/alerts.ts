import type pg from 'pg';
import type { Logger } from 'pino';
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
export function createAlerts({ pool, clock, log, match, tell, tellNoticed }: AlertsOptions): Alerts {
  const health = createRuleHealth({ pool, clock, log, count: () => undefined });
  const tellTurns: TellTurns = async (tx, turns) => {
    const of = (kind: 'opened' | 'closed') =>
      turns.filter((turn) => turn.kind === kind).map(({ episodeId }) => episodeId);
    const closed = await eventRows(tx, 'alert.closed', of('closed'));
    const opened = await eventRows(tx, 'alert.opened', of('opened'));
    return tell(tx, [...closed, ...opened]);
  };
  const options: AlongsideOptions = { clock, match, tell: tellTurns, health };
  const run = () => sweep({ pool, clock, tell: tellTurns, claims: [(tx) => tellClosings(tx, tell), tellNoticed] });
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
