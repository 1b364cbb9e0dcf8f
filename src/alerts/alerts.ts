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
import type { Turn } from './episode.js';
import { eventRows } from './event.js';
import { createRuleHealth } from './health.js';
import type { Mailer } from './mail/mailer.js';
import { createMailUpkeep } from './mail/upkeep.js';
import { createMetrics, type Metrics } from './metrics.js';
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
  /** Undefined where no e-mail is sent. */
  mail: Mailer | undefined;
}

/** Alerts, as the rest of the service sees them. */
export interface Alerts {
  /** Decides rules over records in the transaction that stores them. Returns what is to be called after the commit. */
  alongside(tx: pg.PoolClient, stored: readonly AlertRecord[], onCostly?: OnCostly): Promise<(() => void) | undefined>;
  /** Looks once for what is due. */
  sweep(): Promise<void>;
  /** Hints that something is due or closed. */
  wake(): void;
  /** Hints that an address is to be asked for confirmation. */
  wakeMail(): void;
  start(): void;
  close(): Promise<void>;
}

/** Opens alerts over a database. */
export function createAlerts(options: AlertsOptions): Alerts {
  const { pool, clock, log, registry, match, tell, tellNoticed, mail } = options;
  const metrics = createMetrics({ registry, read: async (query) => (await pool.query<object>(query)).rows });
  const health = createRuleHealth({ pool, clock, log, count: metrics.countQuery });
  const upkeep = createMailUpkeep(pool, clock, log);
  const tellTurns = createTellTurns(tell, mail, metrics);
  const alongside: AlongsideOptions = { clock, match, tell: tellTurns, health };
  const claims = [(tx: pg.PoolClient) => tellClosings(tx, tell, mail), tellNoticed];
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
    alongside: (tx, stored, onCostly) => decideAlongside(tx, stored, alongside, onCostly),
    sweep: run,
    wake: () => loop.wake(true),
    wakeMail: () => mail?.wake(),
    start() {
      loop.start();
      upkeep.start();
      mail?.start();
    },
    async close() {
      await Promise.all([loop.close(), upkeep.close(), mail?.close()]);
      await health.close();
    },
  };
}

/** Tells hooks, and recipients of e-mail, of turns. */
const createTellTurns =
  (tell: TellEvents, mail: Mailer | undefined, metrics: Metrics): TellTurns =>
  async (tx, turns) => {
    const of = (kind: 'opened' | 'closed') =>
      turns.filter((turn) => turn.kind === kind).map(({ episodeId }) => episodeId);
    const closed = await eventRows(tx, 'alert.closed', of('closed'));
    const opened = await eventRows(tx, 'alert.opened', of('opened'));
    const after = [await tell(tx, [...closed, ...opened])];
    for (const kind of ['closed', 'opened'] as const) {
      const ids = turns.filter((turn) => turn.kind === kind && hasRecipients(turn)).map(({ episodeId }) => episodeId);
      if (mail && ids.length > 0) after.push(await mail.note(tx, kind, ids));
    }
    return () => {
      metrics.countTurns('opened', opened.length);
      metrics.countTurns('closed', closed.length);
      after.forEach((call) => call?.());
    };
  };

const hasRecipients = ({ watch }: Turn): boolean => watch.recipients.length > 0;
