import type pg from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Sql } from 'sql-template-tag';
import { invalid, notFound } from '../errors.js';
import { type AddressRules, createAddressGuard, type Resolve, systemResolve } from './address-guard.js';
import { createCaller } from './attempt.js';
import { watchClock } from './clock-step.js';
import { createDispatcher, type TraceCall } from './dispatcher.js';
import { enqueuePing, enqueueRecords, type PingState, pingState } from './enqueue.js';
import { claimNotices, enqueueEvents, type HookEvent, noticeWaits } from './event.js';
import type { MatchRecords } from './filter.js';
import { createFilterHealth } from './filter-health.js';
import { createHousekeeping } from './housekeeping.js';
import type { ApplicationKey, StoredRecord } from './message.js';
import { createMetrics } from './metrics.js';
import { type HookJob, type HookStep, redeliverOne, redeliverStep } from './redeliver.js';
import { type CountRecords, replayStep, type ScanRecords } from './replay.js';
import { createFairResolve } from './resolver.js';
import { createVault, type Vault } from './secret.js';
import { createTargets } from './target.js';

/** A ping is answered after this long at the latest, and looked for this often, in milliseconds. */
const pingTimeout = 20_000;
const pingPoll = 250;

/** Settings of hook delivery. */
export interface HooksOptions {
  /** For what callers wait for: pings. */
  pool: pg.Pool;
  /** For claims and settling only; see `dispatcherSession`. */
  dispatcherPool: pg.Pool;
  clock: () => number;
  random: () => number;
  log: Logger;
  /** Keys that stored secrets are sealed with; the first seals. */
  secretKeys: readonly string[];
  /** Waits between attempts, in milliseconds. */
  schedule: readonly number[];
  /** Deadline of a call, in milliseconds. */
  timeout: number;
  addresses: AddressRules;
  /** Whether only https hooks may be called. */
  httpsOnly: boolean;
  /** How long deliveries are kept, in milliseconds. */
  retention: number;
  /** Where the figures for Prometheus are registered. */
  registry: Registry;
  /** Decides which records the queries of filters match. */
  match: MatchRecords;
  /** Reads stored records, for replays. */
  scan: ScanRecords;
  /** Counts them. */
  count: CountRecords;
  /** Told, once that is committed, of deliveries whose attempt was settled, that ping, or that are made again. It must be quick. */
  onChange?(deliveries: readonly { hookId: string; id: string }[]): void;
  /** Finds the addresses of host names; the system's resolver unless given. */
  resolve?: Resolve;
  /** Traces calls. */
  trace?: TraceCall | undefined;
  /** Lookups that it can have under way. */
  lookups: number;
}

/** Hook delivery, as the rest of the service sees it. */
export interface Hooks {
  vault: Vault;
  /** Throws 422 for an address that the operator's settings do not allow hooks to have. */
  requireUrl(url: string): void;
  /**
   * Stores the deliveries of records in the transaction that stores the records; gives what is to be called once that is
   * committed, where there are any.
   * @param onCostly told, before that work begins, whose hooks have filters with queries or make very many deliveries, and which of
   *   them make so many that it is slow for certain; what it throws ends the transaction
   */
  alongside(
    tx: pg.PoolClient,
    stored: readonly StoredRecord[],
    onCostly?: (organizations: ReadonlySet<string>, slow: ReadonlySet<string>) => void,
  ): Promise<(() => void) | undefined>;
  /** Stores the deliveries of events in the caller's transaction. Returns what to call after the commit, where there are any. */
  enqueue(tx: pg.PoolClient, events: readonly HookEvent[]): Promise<(() => void) | undefined>;
  /** Events that triggers leave: of devices, and of hooks that are switched off. */
  outbox: {
    /** Condition in SQL: some event waits. */
    isWaiting: Sql;
    /** Claims some events and stores their deliveries, in the caller's transaction. */
    drain(tx: pg.PoolClient): Promise<{ count: number; after: (() => void) | undefined }>;
  };
  /** Pings a hook and waits for the call's end, at most 20 s. Answers the identifier of the delivery; 404 where the hook is deleted. */
  ping(hook: { id: string; application: ApplicationKey }, traceparent?: string): Promise<string>;
  /** Makes a delivery again, under its identifier. */
  redeliver(hookId: string, id: string): Promise<void>;
  /** Steps of jobs: making a range of deliveries again, and deliveries of stored records. */
  steps: {
    redeliver(tx: pg.PoolClient, job: HookJob): Promise<HookStep>;
    replay(tx: pg.PoolClient, job: HookJob): Promise<HookStep>;
  };
  /** The time that deliveries go by, in milliseconds since 1970. */
  clock(): number;
  /** A hint, after a commit, that deliveries are due. */
  wake(): void;
  /** Begins to make calls. */
  start(): Promise<void>;
  /** Stops within so many milliseconds. */
  close(within: number): Promise<void>;
}

/**
 * Settings of the sessions of a dispatcher's pool (`options` of a connection). Its few statements are planned once,
 * when tables may be empty or their statistics stale; index scans are right for all of them, whatever statistics say.
 * Bitmap scans would also never mark what is dead in an index, and here most is: every delivery and lease dies young.
 */
export const dispatcherSession =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off -c synchronous_commit=off';

/** Time to connect to a receiver, in milliseconds; never longer than the whole call. */
const maxConnectTimeout = 5000;

/** Hook delivery over a database; the caller starts and closes it. */
export function createHooks(options: HooksOptions): Hooks {
  const { pool, dispatcherPool, random, log, secretKeys, schedule, timeout, addresses, httpsOnly, retention } = options;
  const watched = watchClock(options.clock);
  const { clock } = watched;
  const vault = createVault(secretKeys);
  const guard = createAddressGuard(
    addresses,
    createFairResolve(options.resolve ?? systemResolve, () => performance.now(), options.lookups),
  );
  const caller = createCaller({ guard, httpsOnly, timeout, connectTimeout: Math.min(timeout, maxConnectTimeout) });
  const metrics = createMetrics({
    registry: options.registry,
    clock,
    inFlight: () => dispatcher.inFlight(),
    read: async (query) => (await dispatcherPool.query<object>(query)).rows,
  });
  const dispatcher = createDispatcher({
    pool: dispatcherPool,
    caller,
    target: createTargets(vault),
    schedule,
    clock,
    random,
    log,
    trace: options.trace,
    observe(results) {
      metrics.observe(results);
      options.onChange?.(results.map(({ delivery }) => delivery));
    },
  });
  const health = createFilterHealth({ pool: dispatcherPool, clock, log, count: metrics.countFilter });
  const terms = () => ({ now: clock(), maxAttempts: schedule.length + 1, match: options.match, health });
  const housekeeping = createHousekeeping({
    pool: dispatcherPool,
    watched,
    log,
    retention,
    onRecovered: () => dispatcher.wake(),
  });
  const enqueue: Hooks['enqueue'] = async (tx, events) => {
    const hookIds = await enqueueEvents(tx, events, terms());
    return hookIds.size > 0 ? () => dispatcher.wake({ hookIds }) : undefined;
  };
  return {
    vault,
    requireUrl(url) {
      if (httpsOnly && !/^https:/i.test(url)) throw invalid([{ path: 'url', message: 'must be an https address' }]);
    },
    async alongside(tx, stored, onCostly) {
      const hookIds = await enqueueRecords(tx, stored, terms(), onCostly);
      return hookIds.size > 0 ? () => dispatcher.wake({ hookIds }) : undefined;
    },
    enqueue,
    outbox: {
      isWaiting: noticeWaits,
      async drain(tx) {
        const events = await claimNotices(tx);
        return { count: events.length, after: events.length > 0 ? await enqueue(tx, events) : undefined };
      },
    },
    async ping(hook, traceparent) {
      const id = await enqueuePing(pool, hook, clock(), traceparent);
      options.onChange?.([{ hookId: hook.id, id }]);
      for (let waited = 0; waited < pingTimeout; waited += pingPoll) {
        if (await dispatcher.settled(id, pingPoll)) return id;
        // Another process may have made the call, and the hook may be deleted.
        const [ping] = (await pool.query<PingState>(pingState(hook.id, id))).rows;
        if (!ping) throw notFound('hook');
        if (ping.done) return id;
      }
      return id;
    },
    async redeliver(hookId, id) {
      await redeliverOne(pool, { hookId, id }, terms());
      options.onChange?.([{ hookId, id }]);
      dispatcher.wake({ hookIds: [hookId], pings: true });
    },
    steps: {
      redeliver: (tx, job) => redeliverStep(tx, job, terms()),
      replay: (tx, job) => replayStep(tx, job, options, terms()),
    },
    clock,
    wake: () => dispatcher.wake(),
    async start() {
      await housekeeping.start();
      dispatcher.start();
    },
    async close(within) {
      await Promise.all([housekeeping.close(), dispatcher.close(within), health.close()]);
    },
  };
}
