import type { Logger } from 'pino';
import { createCallLimiter } from '#calls/call-limiter.js';
import { type CallOutcome, cutOff, type OutgoingCaller } from '#calls/caller.js';
import { namedStatement } from '#database/named-statement.js';
import type { Queryable } from '#database/queryable.js';
import { timeSlices } from '#scheduling/time-slice.js';
import { type Claimed, type ClaimedRow, deliveryLease, renewQuery } from './claim.js';
import { ClaimLoop } from './claim-loop.js';
import { compose } from './message.js';
import type { Result } from './settle.js';
import { createSettler, type Settler } from './settler.js';
import type { HookRow, HookTarget } from './target.js';
import { expire, judge, uncallableOutcome } from './verdict.js';

/** A claimed delivery and the hook to call. */
interface Call {
  delivery: Claimed;
  target: HookTarget;
}

/** The trace of a call in progress. */
export interface CallTrace {
  /** Trace context that the receiver gets. */
  traceparent: string;
  end(outcome: CallOutcome): void;
}

/** Begins the trace of a call. */
export type TraceCall = (delivery: Claimed, target: Pick<HookTarget, 'origin'>) => CallTrace;

/** A hint about what is due: deliveries of the given hooks (of any hook if none are given), and pings. */
export interface Hint {
  hookIds?: Iterable<string>;
  pings?: boolean;
}

/** Delivers to hooks: claims due deliveries, calls, settles. It is the only part that calls out. */
export interface Dispatcher {
  start(): void;
  /** Hints that something is due. A lost hint costs latency only, because polling finds the delivery. */
  wake(hint?: Hint): void;
  /** Resolves with true when this process has settled the delivery, or with false after `within` milliseconds. */
  settled(deliveryId: string, within: number): Promise<boolean>;
  /** Number of calls in flight. */
  inFlight(): number;
  /**
   * Stops: finishes the calls in flight within `within` milliseconds, then releases the others, which are due again at
   * once.
   */
  close(within: number): Promise<void>;
}

export interface DispatcherOptions {
  /** Small pool of its own, so that no other query delays claims and settling. */
  pool: Queryable;
  caller: OutgoingCaller;
  target: (row: HookRow) => HookTarget;
  /** Waits between attempts, in milliseconds. */
  schedule: readonly number[];
  clock: () => number;
  random: () => number;
  log: Logger;
  /** Traces calls. Without it, receivers get the trace context of the request that stored the delivery. */
  trace?: TraceCall | undefined;
  /** Called with results once they are written. */
  observe?(results: readonly Result[]): void;
}

/**
 * Creates a dispatcher. Several of them, each in its own process, share the work of one database without knowing each
 * other.
 */
export const createDispatcher = (options: DispatcherOptions): Dispatcher => new PollingDispatcher(options);

class PollingDispatcher implements Dispatcher {
  /** Deliveries that are claimed and not yet settled, whose leases are renewed. `until` is the end of the lease. */
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
    this.renewing ??= setInterval(() => void this.renew(), deliveryLease / 6);
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

  /**
   * Begins the calls of claimed deliveries.
   * @param until end of their leases, in milliseconds since 1970
   */
  private launch(rows: readonly ClaimedRow[], until: number): void {
    const ready = new Map<string, HookTarget | undefined>();
    for (const row of rows) {
      if (row.url !== null) ready.set(row.hookId, this.open(row));
      this.held.set(row.id, { delivery: row, until });
      const hook = ready.get(row.hookId);
      if (row.expired) this.settler.add(expire(row, this.options.clock()));
      else if (hook) this.limiter.admit(row.organizationId, { delivery: row, target: hook });
      else this.settleUnmade(row, uncallableOutcome("This service could not read the hook's stored secrets."));
    }
  }

  /** Prepares the hook of a claimed row for calls. Returns undefined if its secrets cannot be opened. */
  private open(row: HookRow): HookTarget | undefined {
    const { target, log } = this.options;
    try {
      return target(row);
    } catch (error) {
      log.error({ err: error, hook: row.hookId }, 'Hook cannot be called');
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
    // This process was paused or cut off from the database, so another process may be making this call by now.
    if (at >= this.held.get(delivery.id)!.until) return this.settleUnmade(delivery, cutOff);
    const trace = this.options.trace?.(delivery, hook);
    const [call, request] = compose(hook, trace ? { ...delivery, traceparent: trace.traceparent } : delivery, at);
    const outcome = await this.options.caller.call(call);
    trace?.end(outcome);
    this.settler.add(judge(this.options, { delivery, at, request, redaction: hook.redaction, outcome }));
  }

  private settleUnmade(delivery: Claimed, outcome: CallOutcome): void {
    this.settler.add(judge(this.options, { delivery, at: this.options.clock(), outcome }));
  }

  /** Forgets settled deliveries. */
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
      const { rows } = await pool.query<{ id: string }>(namedStatement('renew', renewQuery(mine, now)));
      for (const { id } of rows) {
        const one = this.held.get(id);
        if (one) one.until = now + deliveryLease;
      }
    } catch (error) {
      log.warn({ err: error }, 'Leases cannot be renewed');
    }
  }
}
