import type pg from 'pg';
import type { Logger } from 'pino';
import { named } from '../named.js';
import { timeSlices } from '../time-slice.js';
import { type Caller, cutOff, type Outcome } from './attempt.js';
import { createCallLimiter } from './call-limiter.js';
import { type Claimed, type ClaimedRow, lease, renewQuery } from './claim.js';
import { ClaimLoop } from './claim-loop.js';
import { compose } from './message.js';
import type { Result } from './settle.js';
import { createSettler, type Settler } from './settler.js';
import type { HookRow, Target } from './target.js';
import { expire, judge, uncallable } from './verdict.js';

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

/** What is due: deliveries of these hooks, or of some; pings too. */
export interface Hint {
  hookIds?: Iterable<string>;
  pings?: boolean;
}

/** Makes the calls of deliveries: claims what is due, calls, settles. The only part that calls out. */
export interface Dispatcher {
  start(): void;
  /** A hint that something is due. A lost hint costs latency: polling finds what it named. */
  wake(hint?: Hint): void;
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
  private readonly claims: ClaimLoop;
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
    this.claims = new ClaimLoop({
      pool,
      clock,
      log,
      held: () => this.held.values(),
      launch: (rows, until) => this.launch(rows, until),
      ready: () => this.limiter.ready(),
    });
  }

  start(): void {
    this.claims.start();
    this.renewing ??= setInterval(() => void this.renew(), lease / 6);
  }

  wake(hint?: Hint): void {
    this.claims.wake(hint);
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
      this.claims.wake({ pings: true });
    });
  }

  inFlight(): number {
    return this.calls.size;
  }

  async close(within: number): Promise<void> {
    const { caller } = this.options;
    await this.claims.close();
    for (const { delivery } of this.limiter.close()) this.settleUnmade(delivery, cutOff);
    const cut = setTimeout(() => caller.cut(), within);
    await Promise.all(this.calls);
    clearTimeout(cut);
    await this.settler.drain();
    clearInterval(this.renewing);
    for (const done of this.watched.values()) done();
    await caller.close();
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
    this.claims.settled(results.map(({ delivery }) => delivery));
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
