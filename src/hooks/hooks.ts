import type pg from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Sql } from 'sql-template-tag';
import {
  type AddressGuard,
  type AddressRules,
  createAddressGuard,
  type Resolve,
  systemResolve,
} from '#calls/address-guard.js';
import { createOutgoingCaller } from '#calls/caller.js';
import { createFairResolve } from '#calls/resolver.js';
import { createVault, type Vault } from '#calls/vault.js';
import { invalid, notFound } from '#common/errors.js';
import { transaction } from '#database/transaction.js';
import { watchClock } from './clock-step.js';
import { createDispatcher, type TraceCall } from './dispatcher.js';
import { enqueuePing, type PingState, type PlannedDeliveries, pingState, planDeliveries } from './enqueue.js';
import { claimNotices, enqueueEvents, type HookEvent, noticeWaits } from './event.js';
import type { MatchRecords } from './filter.js';
import { createFilterHealth } from './filter-health.js';
import { createHousekeeping } from './housekeeping.js';
import type { ApplicationKey, HookRecord } from './message.js';
import { createMetrics } from './metrics.js';
import { type HookJob, type HookStep, redeliverOne, redeliverStep } from './redeliver-job.js';
import { type CountRecords, replayStep, type ScanRecords } from './replay-job.js';
import { createTargets } from './target.js';

/** Maximum time that a caller waits for a ping, and the interval of the checks, in milliseconds. */
const pingTimeout = 20_000;
const pingPoll = 250;

export interface HooksOptions {
  /** For work that callers wait for: pings. */
  pool: pg.Pool;
  /** For claims and settling only. Its connections use `dispatcherSession`. */
  dispatcherPool: pg.Pool;
  clock: () => number;
  random: () => number;
  log: Logger;
  /** Keys of stored secrets. The first seals, all of them open. */
  secretKeys: readonly string[];
  /** Waits between attempts, in milliseconds. */
  schedule: readonly number[];
  /** Deadline of a call, in milliseconds. */
  timeout: number;
  addresses: AddressRules;
  /** Whether only https hooks may be called. */
  httpsOnly: boolean;
  /** Retention of deliveries, in milliseconds. */
  retention: number;
  /** Registry of the Prometheus metrics. */
  registry: Registry;
  /** Matches records against the queries of filters. */
  match: MatchRecords;
  /** Reads stored records, for replays. */
  scan: ScanRecords;
  /** Counts stored records, for replays. */
  count: CountRecords;
  /**
   * Called after the commit with deliveries that an attempt settled, that were created as pings, or that were made due
   * again. It must be quick.
   */
  onChange?(deliveries: readonly { hookId: string; id: string }[]): void;
  /** Resolves host names; by default the system's resolver. */
  resolve?: Resolve;
  /** Traces calls. */
  trace?: TraceCall | undefined;
  /** Maximum number of concurrent lookups of host names. */
  lookups: number;
}

/** Hook delivery, as the rest of the service uses it. */
export interface Hooks {
  vault: Vault;
  /** Checks addresses that calls go to. */
  guard: AddressGuard;
  /**
   * @param path field that errors name
   * @throws ApiError 422 for a URL whose address the operator's settings forbid
   */
  requireUrl(url: string, path?: string): void;
  /**
   * Plans the deliveries of records in the transaction that stores the records; undefined if no hook listens. `write`
   * stores them and returns a function to call after the commit, or undefined without deliveries.
   */
  planDeliveries(
    tx: pg.PoolClient,
    stored: readonly HookRecord[],
  ): Promise<PlannedDeliveries<(() => void) | undefined> | undefined>;
  /**
   * Stores the deliveries of events in the caller's transaction. Returns a function to call after the commit, or
   * undefined without deliveries.
   */
  enqueue(tx: pg.PoolClient, events: readonly HookEvent[]): Promise<(() => void) | undefined>;
  /** Events that triggers noted: of devices, and of hooks that were switched off. */
  outbox: {
    /** SQL condition: an event waits. */
    isWaiting: Sql;
    /** Claims a batch of events and stores their deliveries, in the caller's transaction. */
    drain(tx: pg.PoolClient): Promise<{ count: number; after: (() => void) | undefined }>;
  };
  /**
   * Pings a hook and waits at most 20 s for the end of the call. Returns the identifier of the delivery.
   * @param event statement that writes the audit event, in the same transaction
   * @throws ApiError 404 if the hook is deleted
   */
  ping(hook: { id: string; application: ApplicationKey }, traceparent?: string, event?: Sql): Promise<string>;
  /** Makes a delivery again, with the same identifier. */
  redeliver(hookId: string, id: string, event?: Sql): Promise<void>;
  /** Steps of jobs: `redeliver` makes a range of deliveries again, `replay` makes deliveries of stored records. */
  steps: {
    redeliver(tx: pg.PoolClient, job: HookJob): Promise<HookStep>;
    replay(tx: pg.PoolClient, job: HookJob): Promise<HookStep>;
  };
  /** The clock of deliveries, in milliseconds since 1970. */
  clock(): number;
  /** Hints, after a commit, that deliveries are due. */
  wake(): void;
  /** Starts to make calls. */
  start(): Promise<void>;
  /** Stops within `within` milliseconds. */
  close(within: number): Promise<void>;
}

/**
 * Settings of the sessions of the dispatcher's pool (`options` of a connection). Its few statements are planned once,
 * when tables may be empty or their statistics stale. Index scans are right for all of them, whatever the statistics
 * say. Bitmap scans would also never mark dead entries of an index, and most entries here are dead: every delivery and
 * lease is short-lived.
 */
export const dispatcherSession =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off -c synchronous_commit=off';

/** Creates hook delivery over a database. The caller starts and closes it. */
export function createHooks(options: HooksOptions): Hooks {
  const { pool, dispatcherPool, random, log, secretKeys, schedule, timeout, addresses, httpsOnly, retention } = options;
  const watched = watchClock(options.clock);
  const { clock } = watched;
  const vault = createVault(secretKeys);
  const guard = createAddressGuard(
    addresses,
    createFairResolve(options.resolve ?? systemResolve, () => performance.now(), options.lookups),
  );
  const caller = createOutgoingCaller({ guard, httpsOnly, timeout });
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
  const wakeFor = (hookIds: ReadonlySet<string>) => (hookIds.size > 0 ? () => dispatcher.wake({ hookIds }) : undefined);
  const enqueue: Hooks['enqueue'] = async (tx, events) => wakeFor(await enqueueEvents(tx, events, terms()));
  return {
    vault,
    guard,
    requireUrl(url, path = 'url') {
      if (httpsOnly && !/^https:/i.test(url)) throw invalid([{ path, message: 'must be an https address' }]);
    },
    async planDeliveries(tx, stored) {
      const planned = await planDeliveries(tx, stored, terms());
      return planned && { ...planned, write: async () => wakeFor(await planned.write()) };
    },
    enqueue,
    outbox: {
      isWaiting: noticeWaits,
      async drain(tx) {
        const events = await claimNotices(tx);
        return { count: events.length, after: events.length > 0 ? await enqueue(tx, events) : undefined };
      },
    },
    async ping(hook, traceparent, event) {
      const id = await transaction(pool, async (tx) => {
        if (event !== undefined) await tx.query(event);
        return enqueuePing(tx, hook, clock(), traceparent);
      });
      options.onChange?.([{ hookId: hook.id, id }]);
      for (let waited = 0; waited < pingTimeout; waited += pingPoll) {
        if (await dispatcher.settled(id, pingPoll)) return id;
        // Another process may have made the call, or the hook may be deleted.
        const [ping] = (await pool.query<PingState>(pingState(hook.id, id))).rows;
        if (!ping) throw notFound('hook');
        if (ping.done) return id;
      }
      return id;
    },
    async redeliver(hookId, id, event) {
      await redeliverOne(pool, { hookId, id, event }, terms());
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
