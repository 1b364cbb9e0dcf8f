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
import type { Order, ToPrimary } from './message.js';

/** Processes that serve one address together, each of them the whole service. */
export interface Workers {
  url: string;
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
  const order = { ...others, config: shareOf(config, count) };
  // The primary alone accepts: its queue outlives each worker, and each gets the same number of connections.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ exec: program, args: [] });
  // Counts for the rate limits of all workers.
  new RateLimiterClusterMaster();
  const serving = new Map<number, Member>();
  const all = new Set<Member>();
  const collector = createCollector(() => ({
    // One that is about to start does not answer yet.
    all: [...all].filter(({ isReady }) => isReady()),
    serving: new Set(serving.values()),
  }));
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  let stopping = false;

  const heed = (member: Member, message: ToPrimary) => {
    if (message.kind === 'figures') collector.take(member, message.id, message.figures);
    if (message.kind === 'metrics')
      void collector.render().then((text) => member.tell({ kind: 'metrics', id: message.id, text }));
  };
  const start = (number: number): Member => {
    const member = startMember({ ...order, number }, heed);
    all.add(member);
    void member.ended.then(() => {
      all.delete(member);
      collector.retire(member);
    });
    return member;
  };
  /** From now on it is the one of its number, and another takes its place should it die. */
  const install = (member: Member, failures = 0) => {
    serving.set(member.number, member);
    const since = performance.now();
    void member.ended.then((by) => {
      if (stopping || serving.get(member.number) !== member) return;
      log.error({ worker: member.number, by }, 'A worker ended; starting it again.');
      void replace(member.number, performance.now() - since < settled ? failures + 1 : 0);
    });
  };
  const replace = async (number: number, failures: number) => {
    for (let failed = 0; ; failed++) {
      await delay(backOff(failures + failed));
      if (stopping) return;
      const member = start(number);
      try {
        await member.ready;
        log.info({ worker: number }, 'The worker serves again.');
        return install(member, failures);
      } catch (error) {
        await end(member);
        log.error({ err: error, worker: number }, 'A worker does not start.');
        if (failed + 1 === maxFailedStarts) return failure.reject(cannotStart(number, error));
      }
    }
  };
  /** Tells a worker to stop, and sees to it that it does. */
  const end = async (member: Member, everything = false) => {
    member.tell({ kind: 'stop', all: everything });
    const limit = new AbortController();
    const late = delay(order.config.http.stopDelay + 2 * stopTimeout, undefined, limit).then(
      () => member.kill(),
      () => undefined,
    );
    await member.ended;
    limit.abort();
    await late;
  };
  const restart = async () => {
    log.info('Replacing the workers.');
    for (const old of [...serving.values()]) {
      // One that has just died is replaced anyway.
      if (stopping || serving.get(old.number) !== old || !all.has(old)) continue;
      const next = start(old.number);
      try {
        await next.ready;
      } catch (error) {
        log.error({ err: error }, 'A new worker does not start; those that serve stay.');
        return end(next);
      }
      install(next);
      await end(old);
    }
    log.info('Replaced the workers.');
  };

  const first = Array.from({ length: count }, (_, index) => start(index + 1));
  let url: string;
  try {
    [url] = (await Promise.all(first.map(({ ready }) => ready))) as [string];
  } catch (error) {
    stopping = true;
    await Promise.all(first.map((member) => end(member, true)));
    throw error;
  }
  for (const member of first) install(member);
  let restarting = Promise.resolve();
  return {
    url,
    failure: failure.promise,
    restart: () => (restarting = restarting.then(restart)),
    async close() {
      stopping = true;
      await Promise.all([...all].map((member) => end(member, true)));
    },
  };
}

/** Connections of one address are handed to the workers in turn, so each may have its part of them. */
const shareOf = (config: Config, count: number): Config => ({
  ...config,
  http: { ...config.http, perAddress: Math.ceil(config.http.perAddress / count) },
});

const cannotStart = (number: number, error: unknown): Error =>
  new Error(
    `Worker ${number} failed to start ${maxFailedStarts} times: ${error instanceof Error ? error.message : String(error)}`,
    { cause: error },
  );
