import type pg from 'pg';
import type { Logger } from 'pino';
import { newId } from '../entities/id.js';
import { named } from '../named.js';
import { createPollLoop, type PollLoop } from '../poll-loop.js';
import { timeSlices } from '../time-slice.js';
import { type Caller, cutOff, type Outcome } from './attempt.js';
import { createCallLimiter } from './call-limiter.js';
import { type Claimed, type ClaimedRow, claimPingsQuery, claimQuery, lease, renewQuery } from './claim.js';
import { compose } from './message.js';
import type { Result } from './settle.js';
import { createSettler, type Settler } from './settler.js';
import type { HookRow, Target } from './target.js';
import { expire, judge, uncallable } from './verdict.js';

/** Most calls that one process has in flight: so many that hooks that hang cannot fill them, since each has its own cap. */
const maxInFlight = 1000;
/** Most deliveries that one claim takes. */
const maxClaimed = 250;
/** After a claim of this many the loop does not rest. */
const manyClaimed = 16;
/** Most pings that one poll claims. */
const maxPings = 100;
/** Time between two polls without a hint, in milliseconds. */
const pollInterval = 500;
/** Least time between two polls, in milliseconds: hints that come sooner share one. */
const pollSpacing = 10;

/** A claimed delivery and the hook that is called with it. */
interface Call {
  delivery: Claimed;
  target: Target;
}

/** The trace of a call that is being made. */
export interface CallTrace {
  /** What its receiver is told. */
  traceparent: string;
  end(outcome: Outcome): void;
}

/** Begins the trace of a call. */
export type TraceCall = (delivery: Claimed, target: Pick<Target, 'origin'>) => CallTrace;

/** How much a poll claimed. */
type Amount = 'nothing' | 'few' | 'many';

/** Makes the calls of deliveries: claims what is due, calls, settles. The only part that calls out. */
export interface Dispatcher {
  start(): void;
  /** A hint that something is due (`pings` too). A lost hint costs latency: polling finds what it named. */
  wake(pings?: boolean): void;
  /** Resolves when this process has settled the delivery (true), or after so many milliseconds (false). */
  settled(deliveryId: string, within: number): Promise<boolean>;
  /** Calls in flight. */
  inFlight(): number;
  /** Stops: finishes what is in flight within so many milliseconds, and releases the rest, which is due again at once. */
  close(within: number): Promise<void>;
}

/** Settings of a dispatcher. */
export interface DispatcherOptions {
  /** A small pool of its own, so that nothing else holds up claims and settling. */
  pool: Pick<pg.Pool, 'query'>;
  caller: Caller;
  target: (row: HookRow) => Target;
  /** Waits between attempts, in milliseconds. */
  schedule: readonly number[];
  clock: () => number;
  random: () => number;
  log: Logger;
  /** Traces calls; without it receivers are told what the caller of this service said. */
  trace?: TraceCall | undefined;
  /** Told of results once they are written. */
  observe?(results: readonly Result[]): void;
}

/** Makes a dispatcher. Several, each in its own process, share the work of one database without knowing each other. */
export const createDispatcher = (options: DispatcherOptions): Dispatcher => new PollingDispatcher(options);

class PollingDispatcher implements Dispatcher {
  /** Claimed and not yet settled: what the leases are renewed for, each with when its lease runs out. */
  private readonly held = new Map<string, { delivery: Claimed; until: number }>();
  private readonly calls = new Set<Promise<void>>();
  private readonly watched = new Map<string, () => void>();
  private readonly settler: Settler;
  private readonly limiter = createCallLimiter((claimed: Call) => this.begin(claimed));
  private readonly loop: PollLoop;
  /** Whether more may be due than the last claim took. */
  private more = false;
  private nextCall: NodeJS.Timeout | undefined;
  private renewing: NodeJS.Timeout | undefined;

  constructor(private readonly options: DispatcherOptions) {
    const { pool, clock, log } = options;
    this.settler = createSettler({
      pool,
      clock,
      log,
      underWay: () => this.held.size,
      onSettled: (results) => this.forget(results),
    });
    this.loop = createPollLoop({
      poll: (full) => this.poll(full),
      rest,
      interval: pollInterval,
      onFailure: (error, failures) =>
        failures === 0 && log.error({ err: error }, 'deliveries cannot be claimed; trying again'),
      onRecovery: () => log.info('deliveries are claimed again'),
    });
  }

  start(): void {
    this.loop.start();
    this.renewing ??= setInterval(() => void this.renew(), lease / 6);
  }

  wake(pings?: boolean): void {
    this.loop.wake(pings);
  }

  settled(deliveryId: string, within: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (settled: boolean) => {
        clearTimeout(timer);
        this.watched.delete(deliveryId);
        resolve(settled);
      };
      const timer = setTimeout(() => end(false), within);
      this.watched.set(deliveryId, () => end(true));
      this.loop.wake(true);
    });
  }

  inFlight(): number {
    return this.calls.size;
  }

  async close(within: number): Promise<void> {
    const { caller } = this.options;
    clearTimeout(this.nextCall);
    await this.loop.close();
    for (const { delivery } of this.limiter.close()) this.settleUnmade(delivery, cutOff);
    const cut = setTimeout(() => caller.cut(), within);
    await Promise.all(this.calls);
    clearTimeout(cut);
    await this.settler.drain();
    clearInterval(this.renewing);
    for (const done of this.watched.values()) done();
    await caller.close();
  }

  /** One poll: claims what is due, as far as calls are free. A full one claims pings too. */
  private async poll(full: boolean): Promise<Amount> {
    const { pool, clock } = this.options;
    const now = clock();
    if (full) {
      const claim = { claimId: newId(), limit: maxPings, now };
      this.launch((await pool.query<ClaimedRow>(named('claim-pings', claimPingsQuery(claim)))).rows, now + lease);
    }
    const limit = Math.min(maxClaimed, maxInFlight - this.held.size);
    if (limit <= 0) {
      this.more = true;
      return 'few';
    }
    const shares = { free: maxInFlight - this.held.size, underWay: this.heldByOrganization() };
    const query = claimQuery({ claimId: newId(), limit, now, ...shares });
    const { rows } = await pool.query<ClaimedRow>(named('claim', query));
    // Nothing found while calls are under way may mean that every hook with something due has reached its cap.
    if (rows.length > 0 || this.held.size === 0) this.more = rows.length === limit || rows.some(({ full }) => full);
    for (const { maxPerSecond } of rows) if (maxPerSecond !== null) this.wakeIn(1000 / maxPerSecond + 5);
    this.launch(rows, now + lease);
    // More claims would only wait here; one large claim costs hardly more than a small one.
    await this.limiter.ready();
    if (rows.length === limit) this.loop.wake();
    return rows.length === 0 ? 'nothing' : rows.length < manyClaimed ? 'few' : 'many';
  }

  private heldByOrganization(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { delivery } of this.held.values())
      counts.set(delivery.organizationId, (counts.get(delivery.organizationId) ?? 0) + 1);
    return counts;
  }

  /** Lets the calls of claimed deliveries begin. @param until when their leases run out */
  private launch(rows: readonly ClaimedRow[], until: number): void {
    const ready = new Map<string, Target | undefined>();
    for (const row of rows) {
      if (row.url !== null) ready.set(row.hookId, this.open(row));
      this.held.set(row.id, { delivery: row, until });
      const hook = ready.get(row.hookId);
      if (row.expired) this.settler.add(expire(row, this.options.clock()));
      else if (hook) this.limiter.admit(row.organizationId, { delivery: row, target: hook });
      else this.settleUnmade(row, uncallable("This service could not read the hook's stored secrets."));
    }
  }

  /** The hook of a claimed row, ready to be called; nothing where its secrets do not open. */
  private open(row: HookRow): Target | undefined {
    const { target, log } = this.options;
    try {
      return target(row);
    } catch (error) {
      log.error({ err: error, hook: row.hookId }, 'hook cannot be called');
      return undefined;
    }
  }

  private begin(claimed: Call): Promise<void> {
    const call = this.make(claimed).finally(() => this.calls.delete(call));
    this.calls.add(call);
    return call;
  }

  private async make({ delivery, target: hook }: Call): Promise<void> {
    await timeSlices.ifOver(delivery.organizationId);
    const at = this.options.clock();
    // This process was paused or cut off from the database: another process may be making this call by now.
    if (at >= this.held.get(delivery.id)!.until) return this.settleUnmade(delivery, cutOff);
    const trace = this.options.trace?.(delivery, hook);
    const [call, request] = compose(hook, trace ? { ...delivery, traceparent: trace.traceparent } : delivery, at);
    const outcome = await this.options.caller.call(call);
    trace?.end(outcome);
    this.settler.add(judge(this.options, { delivery, at, request, redaction: hook.redaction, outcome }));
  }

  private settleUnmade(delivery: Claimed, outcome: Outcome): void {
    this.settler.add(judge(this.options, { delivery, at: this.options.clock(), outcome }));
  }

  /** Lets go of what is settled. */
  private forget(results: readonly Result[]): void {
    for (const result of results) {
      this.held.delete(result.delivery.id);
      this.watched.get(result.delivery.id)?.();
    }
    this.options.observe?.(results);
    // Free slots are there that the last claim could not yet fill.
    if (this.more) this.loop.wake();
  }

  /** Polls again when a hook with a rate may be called, which is sooner than the next poll. */
  private wakeIn(milliseconds: number): void {
    this.nextCall ??= setTimeout(() => {
      this.nextCall = undefined;
      this.loop.wake();
    }, milliseconds);
  }

  private async renew(): Promise<void> {
    const { pool, clock, log } = this.options;
    if (this.held.size === 0) return;
    const now = clock();
    try {
      const mine = [...this.held.values()].map(({ delivery }) => delivery);
      const { rows } = await pool.query<{ id: string }>(named('renew', renewQuery(mine, now)));
      for (const { id } of rows) {
        const one = this.held.get(id);
        if (one) one.until = now + lease;
      }
    } catch (error) {
      log.warn({ err: error }, 'leases cannot be renewed');
    }
  }
}

/** How long the loop rests after a poll that took so many milliseconds. */
const rest = (claimed: Amount, took: number): number => {
  if (claimed === 'many') return 0;
  // Polls that find nothing take a quarter of the time at most. One slow poll (a process held up, a database away) does not count.
  return claimed === 'few' || took < pollSpacing ? pollSpacing - took : Math.min(3 * took, pollInterval);
};
