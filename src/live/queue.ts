import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { rateLimited } from '../errors.js';

/** Work of one organization that waits, at most. */
const mostWaiting = 4;
/** Work that fails is tried again so many times, after 100, 200, 400 ... milliseconds. */
const mostRetries = 5;

/** A queue of work for each organization: one thing at a time, in order, and never in the way of another organization's. */
export interface Queues {
  /** Adds work, tried again where it fails; `lost` is called where it goes on failing. False where too much waits already. */
  add(organizationId: string, work: () => Promise<void>, lost: () => void): boolean;
  /** Runs work in its place in the queue. @throws rateLimited where too much waits already */
  run(organizationId: string, work: () => Promise<void>): Promise<void>;
  /** Calls after what has been added; at once where nothing is. */
  after(organizationId: string, call: () => void): void;
  /** Resolves when no work is under way; begins none. */
  close(): Promise<void>;
}

interface Queue {
  length: number;
  end: Promise<void>;
}

/** Queues, each of which is there as long as it has work. */
export function createQueues(log: Logger): Queues {
  const queues = new Map<string, Queue>();
  let closed = false;

  const retried = async (work: () => Promise<void>, lost: () => void) => {
    for (let tries = 0; !closed; tries++) {
      try {
        return await work();
      } catch (error) {
        if (tries === mostRetries) {
          log.error({ err: error }, 'subscribers missed what their queries could not be asked about');
          return lost();
        }
        await setTimeout(100 * 2 ** tries);
      }
    }
  };

  const append = (organizationId: string, work: () => Promise<void>): Promise<void> => {
    const queue = queues.get(organizationId) ?? { length: 0, end: Promise.resolve() };
    queues.set(organizationId, queue);
    queue.length++;
    const result = queue.end.then(work);
    queue.end = result
      .catch(() => undefined)
      .then(() => {
        if (--queue.length === 0) queues.delete(organizationId);
      });
    return result;
  };
  const isFull = (organizationId: string) => (queues.get(organizationId)?.length ?? 0) > mostWaiting;

  return {
    add(organizationId, work, lost) {
      if (isFull(organizationId)) return false;
      void append(organizationId, () => retried(work, lost));
      return true;
    },
    async run(organizationId, work) {
      if (isFull(organizationId))
        throw rateLimited('The subscriptions of this organization are busy. Try again later.', 1);
      await append(organizationId, work);
    },
    after(organizationId, call) {
      const queue = queues.get(organizationId);
      if (queue === undefined) call();
      else queue.end = queue.end.then(call);
    },
    async close() {
      closed = true;
      await Promise.all([...queues.values()].map(({ end }) => end));
    },
  };
}
