import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { rateLimited } from '#common/errors.js';
import { backOff } from '#scheduling/back-off.js';

/** Maximum number of callers of one organization that wait in its queue. */
const maxCallers = 4;
/** Maximum number of retries of failing work. */
const maxRetries = 5;

/**
 * A queue of work for each organization. Each runs in order, one piece of work at a time, and independently of other
 * organizations.
 */
export interface Queues {
  /** Adds work. Failing work is retried; after the last retry `lost` is called. */
  add(organizationId: string, work: () => Promise<void>, lost: () => void): void;
  /**
   * Runs work after the work queued before it.
   * @throws ApiError 429 if too many callers wait already
   */
  run(organizationId: string, work: () => Promise<void>): Promise<void>;
  /** Calls back when the work added so far is over; immediately if there is none. */
  after(organizationId: string, call: () => void): void;
  /** Starts no more work. Resolves when the current work is over. */
  close(): Promise<void>;
}

interface Queue {
  length: number;
  callers: number;
  end: Promise<void>;
}

/** Creates the queues. Each exists only while it has work. */
export function createQueues(log: Logger): Queues {
  const queues = new Map<string, Queue>();
  let closed = false;

  const retried = async (work: () => Promise<void>, lost: () => void) => {
    for (let tries = 0; !closed; tries++) {
      try {
        return await work();
      } catch (error) {
        if (tries === maxRetries) {
          log.error({ err: error }, 'Queries of subscriptions failed; their subscribers missed records');
          return lost();
        }
        await delay(backOff(tries));
      }
    }
  };

  const append = (organizationId: string, work: () => Promise<void>): Promise<void> => {
    const queue = queues.get(organizationId) ?? { length: 0, callers: 0, end: Promise.resolve() };
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

  return {
    add(organizationId, work, lost) {
      void append(organizationId, () => retried(work, lost));
    },
    async run(organizationId, work) {
      if ((queues.get(organizationId)?.callers ?? 0) > maxCallers)
        throw rateLimited('The subscriptions of this organization are busy. Try again later.', 1);
      const result = append(organizationId, work);
      const queue = queues.get(organizationId)!;
      queue.callers++;
      await result.finally(() => queue.callers--);
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
