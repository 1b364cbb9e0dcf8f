import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RateLimiterClusterMaster } from 'rate-limiter-flexible';
import { backOff } from '../back-off.js';
import type { Config } from '../config.js';
import type { Log } from '../log.js';
import { stopTimeout } from '../stop.js';
import { createCollector } from './collector.js';
import { type Member, startMember } from './member.js';
import type { Addresses, Order } from './message.js';

/** Processes that serve one address together, each of them the whole service. */
export interface Workers extends Addresses {
  /** Rejects when a worker that died cannot be started again. */
  failure: Promise<never>;
  /** Replaces them one after another: a new one serves before an old one leaves. */
  restart(): Promise<void>;
  /** Ends all in order. */
  close(): Promise<void>;
}

/** What workers are started with; the log is the primary's. */
export interface WorkersOptions extends Omit<Order, 'number'> {
  count: number;
  log: Log;
}

const program = fileURLToPath(new URL('worker.js', import.meta.url));

/** A worker that dies sooner than this after it began to serve is started again later each time. Milliseconds. */
const settled = 60_000;
/** Starts of a worker that may fail in a row; then the service ends. */
const maxFailedStarts = 3;

/** Starts the workers; resolves when all serve. Where one cannot, none stays, and its reason is thrown. */
export async function startWorkers({ count, log, config, ...others }: WorkersOptions): Promise<Workers> {
  // The primary alone accepts: its queue outlives each worker, and each gets the same number of connections.
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

/** Keeps its workers running. */
class Primary {
  private readonly failed = Promise.withResolvers<never>();
  /** Those that run, the ones about to serve and about to leave among them. */
  private readonly all = new Set<Member>();
  /** The one of each number. */
  private readonly serving = new Map<number, Member>();
  private stopping = false;
  private readonly collector = createCollector(() => ({
    // One that is about to start does not answer yet.
    all: [...this.all].filter(({ isReady }) => isReady()),
    serving: new Set(this.serving.values()),
  }));

  constructor(
    private readonly order: Omit<Order, 'number'>,
    private readonly log: Log,
  ) {
    // Whoever waits for it learns of it; nobody may.
    this.failure.catch(() => undefined);
  }

  get failure(): Promise<never> {
    return this.failed.promise;
  }

  /** Starts so many; resolves with their addresses. */
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
    this.log.info('Replacing the workers.');
    for (const old of this.serving.values()) {
      // One that has just died is replaced anyway.
      if (this.stopping || !this.all.has(old)) continue;
      const next = this.start(old.number);
      try {
        await next.ready;
      } catch (error) {
        this.log.error({ err: error }, 'A new worker does not start; those that serve stay.');
        return this.end(next, false);
      }
      this.install(next, 0);
      await this.end(old, false);
    }
    this.log.info('Replaced the workers.');
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

  /** From now on it is the one of its number, and another takes its place should it die. */
  private install(member: Member, failures: number): void {
    const { number } = member;
    this.serving.set(number, member);
    const since = performance.now();
    void member.ended.then((by) => {
      if (this.stopping || this.serving.get(number) !== member) return;
      this.log.error({ worker: number, by }, 'A worker ended; starting it again.');
      void this.replace(number, performance.now() - since < settled ? failures + 1 : 0);
    });
  }

  /** @param failures workers of this number that died early in a row */
  private async replace(number: number, failures: number): Promise<void> {
    for (let failed = 1; ; failed++) {
      await delay(backOff(failures + failed - 1));
      if (this.stopping) return;
      const member = this.start(number);
      try {
        await member.ready;
        this.log.info({ worker: number }, 'The worker serves again.');
        return this.install(member, failures);
      } catch (error) {
        await this.end(member, false);
        this.log.error({ err: error, worker: number }, 'A worker does not start.');
        if (failed === maxFailedStarts) return this.failed.reject(cannotStart(number, error));
      }
    }
  }

  /** Tells a worker to stop, and sees to it that it does. */
  private async end(member: Member, all: boolean): Promise<void> {
    member.tell({ kind: 'stop', all });
    const late = setTimeout(() => member.kill(), this.order.config.http.stopDelay + 2 * stopTimeout);
    await member.ended;
    clearTimeout(late);
  }
}

/** Connections are handed to the workers in turn, so each may have its part of them. */
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
