import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RateLimiterClusterMaster } from 'rate-limiter-flexible';
import type { Log } from '#common/log.js';
import type { Config } from '#config/config.js';
import { stopTimeout } from '#runtime/stop.js';
import { backOff } from '#scheduling/back-off.js';
import { createCollector } from './collector.js';
import { type Member, startMember } from './member.js';
import type { Addresses, Order } from './message.js';

/** Processes that serve one address together. Each of them is the whole service. */
export interface Workers extends Addresses {
  /** Rejects when a worker that died cannot be restarted. */
  failure: Promise<never>;
  /** Replaces the workers one after another. A new worker serves before the old one leaves. */
  restart(): Promise<void>;
  /** Stops all workers in order. */
  close(): Promise<void>;
}

/** Options of the workers. The log is the primary's. */
export interface WorkersOptions extends Omit<Order, 'number'> {
  count: number;
  log: Log;
}

const program = fileURLToPath(new URL('worker.js', import.meta.url));

/** Time in milliseconds. A worker that dies earlier after it began to serve is restarted with an increasing delay. */
const settled = 60_000;
/** Failed starts of a worker in a row after which the service ends. */
const maxFailedStarts = 3;

/**
 * Starts the workers and resolves when all of them serve. When one cannot start, all are stopped and its error is
 * thrown.
 */
export async function startWorkers({ count, log, config, ...others }: WorkersOptions): Promise<Workers> {
  // Only the primary accepts connections. Its queue outlives each worker, and each worker gets the same number of
  // connections.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ exec: program, args: [] });
  // Counts for the rate limits of all workers.
  new RateLimiterClusterMaster();
  const primary = new Primary({ ...others, config: shareOf(config, count) }, log);
  const addresses = await primary.begin(count);
  let restarting = Promise.resolve();
  return {
    ...addresses,
    failure: primary.failure,
    restart: () => (restarting = restarting.then(() => primary.restart())),
    close: () => primary.close(),
  };
}

/** Keeps the workers running. */
class Primary {
  private readonly failed = Promise.withResolvers<never>();
  /** Running workers, including those about to serve or to leave. */
  private readonly all = new Set<Member>();
  /** The current worker of each number. */
  private readonly serving = new Map<number, Member>();
  private stopping = false;
  private readonly collector = createCollector(() => ({
    // A worker that is starting does not answer yet.
    all: [...this.all].filter(({ isReady }) => isReady()),
    serving: new Set(this.serving.values()),
  }));

  constructor(
    private readonly order: Omit<Order, 'number'>,
    private readonly log: Log,
  ) {
    // Prevents an unhandled rejection when nobody waits for `failure`. Waiters still get it.
    this.failure.catch(() => undefined);
  }

  get failure(): Promise<never> {
    return this.failed.promise;
  }

  /** Starts `count` workers. Resolves with their addresses. */
  async begin(count: number): Promise<Addresses> {
    const members = Array.from({ length: count }, (_, index) => this.start(index + 1));
    try {
      const [addresses] = await Promise.all(members.map(({ ready }) => ready));
      for (const member of members) this.install(member, 0);
      return addresses!;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async restart(): Promise<void> {
    this.log.info('Replacing workers');
    for (const old of this.serving.values()) {
      // A worker that has just died is replaced anyway.
      if (this.stopping || !this.all.has(old)) continue;
      const next = this.start(old.number);
      try {
        await next.ready;
      } catch (error) {
        this.log.error({ err: error }, 'New worker does not start; the running workers stay');
        return this.end(next, false);
      }
      this.install(next, 0);
      await this.end(old, false);
    }
    this.log.info('Workers replaced');
  }

  async close(): Promise<void> {
    this.stopping = true;
    await Promise.all([...this.all].map((member) => this.end(member, true)));
  }

  private start(number: number): Member {
    const member = startMember({ ...this.order, number }, (message) => {
      if (message.kind === 'figures') this.collector.take(member, message.id, message.figures);
      if (message.kind === 'metrics')
        void this.collector.render().then((text) => member.tell({ kind: 'metrics', id: message.id, text }));
    });
    this.all.add(member);
    void member.ended.then(() => {
      this.all.delete(member);
      this.collector.retire(member);
    });
    return member;
  }

  /** Makes a worker the current one of its number. If it dies, it is replaced. */
  private install(member: Member, failures: number): void {
    const { number } = member;
    this.serving.set(number, member);
    const since = performance.now();
    void member.ended.then((by) => {
      if (this.stopping || this.serving.get(number) !== member) return;
      this.log.error({ worker: number, by }, 'Worker ended; starting it again');
      void this.replace(number, performance.now() - since < settled ? failures + 1 : 0);
    });
  }

  /**
   * Restarts a worker that died.
   * @param failures workers of this number in a row that died early.
   */
  private async replace(number: number, failures: number): Promise<void> {
    for (let failed = 1; ; failed++) {
      await delay(backOff(failures + failed - 1));
      if (this.stopping) return;
      const member = this.start(number);
      try {
        await member.ready;
        this.log.info({ worker: number }, 'Worker serves again');
        return this.install(member, failures);
      } catch (error) {
        await this.end(member, false);
        this.log.error({ err: error, worker: number }, 'Worker does not start');
        if (failed === maxFailedStarts) return this.failed.reject(cannotStart(number, error));
      }
    }
  }

  /** Tells a worker to stop, and kills it if it does not in time. */
  private async end(member: Member, all: boolean): Promise<void> {
    member.tell({ kind: 'stop', all });
    const late = setTimeout(() => member.kill(), this.order.config.http.stopDelay + 2 * stopTimeout);
    await member.ended;
    clearTimeout(late);
  }
}

/** Divides the connection limits by the number of workers, as connections are handed to the workers in turn. */
const shareOf = (config: Config, count: number): Config => ({
  ...config,
  http: {
    ...config.http,
    perAddress: Math.ceil(config.http.perAddress / count),
    maxConnections: Math.ceil(config.http.maxConnections / count),
  },
});

const cannotStart = (number: number, error: unknown): Error =>
  new Error(
    `Worker ${number} failed to start ${maxFailedStarts} times: ${error instanceof Error ? error.message : String(error)}`,
    { cause: error },
  );
