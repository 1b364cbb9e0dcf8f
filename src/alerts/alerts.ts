import type pg from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import sql from 'sql-template-tag';
import { createPollLoop } from '#scheduling/poll-loop.js';
import type { MatchRecords } from './answer-queries.js';
import { catchUp, type MatchCommitted } from './catch-up.js';
import type { StoredAlertRecord } from './decide.js';
import {
  type DecideOptions,
  type NewestBefore,
  type Notify,
  type PlannedDecisions,
  planDecisions,
} from './decide-stored.js';
import type { Transition } from './episode.js';
import { type AlertEvent, eventRows } from './event.js';
import { createRuleHealth } from './health.js';
import type { Mailer } from './mail/mailer.js';
import { createMailUpkeep } from './mail/upkeep.js';
import { createMetrics, type Metrics } from './metrics.js';
import type { Outbox } from './outbox.js';
import { poll } from './poll.js';

/** Interval of polls, and so of heartbeats, in milliseconds. */
const interval = 2000;

export interface AlertsOptions {
  /** A pool that the storing of records does not use. */
  pool: pg.Pool;
  clock: () => number;
  log: Logger;
  registry: Registry;
  match: MatchRecords;
  matchCommitted: MatchCommitted;
  newestBefore: NewestBefore;
  /** Stores the deliveries of events for hooks. */
  enqueue: EnqueueEvents;
  /** Events about hooks that triggers noted. */
  outbox: Outbox;
  /** Undefined if e-mail is off. */
  mail: Mailer | undefined;
  /** See {@link catchUp}. */
  maxUndecided: number;
}

/** Alerts, as the rest of the service uses them. */
export interface Alerts {
  /** Plans the decision of rules over records in the transaction that stores them; undefined if no rule watches. */
  planDecisions(tx: pg.PoolClient, stored: readonly StoredAlertRecord[]): Promise<PlannedDecisions | undefined>;
  /** Lets the poll look at once: an episode was closed, or a rule's state is due. */
  wake(): void;
  /** Lets the mailer look at once: a mail that asks for confirmation is due. */
  wakeMail(): void;
  start(): void;
  close(): Promise<void>;
}

/** Creates alerts over a database. */
export function createAlerts(options: AlertsOptions): Alerts {
  const { pool, clock, log, registry, match, matchCommitted, newestBefore, enqueue, outbox, mail, maxUndecided } =
    options;
  const metrics = createMetrics({ registry, read: async (query) => (await pool.query<object>(query)).rows });
  const health = createRuleHealth({ pool, clock, log, count: metrics.countQuery });
  const upkeep = createMailUpkeep(pool, clock, log);
  const notify = createNotify(enqueue, mail, metrics);
  const deciding: DecideOptions = { clock, match, notify, health, newestBefore };
  const outboxes = [createClosings(enqueue, mail), outbox];
  // A slow query must not delay silences, so another loop decides the records that wait for one.
  let isBehind = false;
  const catching = createPollLoop({
    async poll() {
      await catchUp({ pool, clock, matchCommitted, notify, health, maxUndecided });
      isBehind = false;
    },
    interval,
    isNeeded: () => isBehind,
    onFailure: (error) =>
      log.warn({ err: error }, 'Alert rules did not decide records that wait; this will be repeated'),
  });
  const onUndecided = () => {
    isBehind = true;
    catching.wake();
  };
  const loop = createPollLoop({
    async poll() {
      const begun = performance.now();
      await poll({ pool, clock, notify, outboxes, onUndecided });
      metrics.observePoll((performance.now() - begun) / 1000);
    },
    interval,
    rest: () => 50,
    onFailure: (error) => log.warn({ err: error }, 'Alert poll failed; it will be repeated'),
  });
  return {
    planDecisions: (tx, stored) => planDecisions(tx, stored, deciding),
    wake: () => loop.wake(true),
    wakeMail: () => mail?.wake(),
    start() {
      loop.start();
      catching.start();
      upkeep.start();
      mail?.start();
    },
    async close() {
      await Promise.all([loop.close(), catching.close(), upkeep.close(), mail?.close()]);
      await health.close();
    },
  };
}

/** Creates the function that notifies hooks, and recipients of e-mail, of transitions. */
const createNotify =
  (enqueue: EnqueueEvents, mail: Mailer | undefined, metrics: Metrics): Notify =>
  async (tx, transitions) => {
    const of = (kind: 'opened' | 'closed') =>
      transitions.filter((transition) => transition.kind === kind).map(({ episodeId }) => episodeId);
    const closed = await eventRows(tx, 'alert.closed', of('closed'));
    const opened = await eventRows(tx, 'alert.opened', of('opened'));
    const after = [await enqueue(tx, [...closed, ...opened])];
    for (const kind of ['closed', 'opened'] as const) {
      const mailed = transitions.filter((transition) => transition.kind === kind && hasRecipients(transition));
      const ids = mailed.map(({ episodeId }) => episodeId);
      if (mail && ids.length > 0) after.push(await mail.enqueue(tx, kind, ids));
    }
    return () => {
      metrics.countTransitions('opened', opened.length);
      metrics.countTransitions('closed', closed.length);
      after.forEach((call) => call?.());
    };
  };

const hasRecipients = ({ watch }: Transition): boolean => watch.recipients.length > 0;

/** Maximum number of closings that one transaction claims. */
const atOnce = 500;

/**
 * Stores the deliveries of events in the caller's transaction. Returns a function to call after the commit, or
 * undefined.
 */
type EnqueueEvents = (tx: pg.PoolClient, events: readonly AlertEvent[]) => Promise<(() => void) | undefined>;

/**
 * Creates the outbox of closings that no record causes. A trigger notes an episode whose rule or device is changed or
 * deleted; draining the outbox stores the deliveries of hooks and the e-mail notices.
 */
const createClosings = (enqueue: EnqueueEvents, mail: Mailer | undefined): Outbox => ({
  isWaiting: sql`exists (select from alert_notice)`,
  async drain(tx) {
    const { rows } = await tx.query<{ id: string }>(sql`
      delete from alert_notice where episode_id in (
        select episode_id from alert_notice order by episode_id limit ${atOnce} for update skip locked)
      returning episode_id id`);
    if (rows.length === 0) return { count: 0, after: undefined };
    const ids = rows.map(({ id }) => id);
    const events = await eventRows(tx, 'alert.closed', ids);
    const after = [await enqueue(tx, events), await mail?.enqueue(tx, 'closed', ids)];
    return { count: rows.length, after: () => after.forEach((call) => call?.()) };
  },
});
