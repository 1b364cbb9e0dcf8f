import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { backOff } from '../back-off.js';
import { rateLimited } from '../errors.js';

/** Most callers of one organization that wait for their turn. */
const maxCallers = 4;
/** Most retries of work that fails. */
const maxRetries = 5;

/** A queue of work for each organization: in order, one piece of work at a time, and independent of other organizations. */
export interface Queues {
  /** Adds work. Work that fails is retried; after the last retry `lost` is called. */
  add(organizationId: string, work: () => Promise<void>, lost: () => void): void;
  /** Runs work when its turn in the queue comes. @throws rateLimited where too many callers wait already */
  run(organizationId: string, work: () => Promise<void>): Promise<void>;
  /** Calls back when the work that was added so far is over; at once where there is none. */
  after(organizationId: string, call: () => void): void;
  /** Starts no more work; resolves when the work under way is over. */
  close(): Promise<void>;
}

interface Queue {
  length: number;
  callers: number;
  end: Promise<void>;
}

/** Makes the queues. Each exists only while it has work. */
export function createQueues(log: Logger): Queues {
  const queues = new Map<string, Queue>();
  let closed = false;

  const retried = async (work: () => Promise<void>, lost: () => void) => {
    for (let tries = 0; !closed; tries++) {
      try {
        return await work();
      } catch (error) {
        if (tries === maxRetries) {
          log.error({ err: error }, 'queries of subscriptions failed; their subscribers missed records');
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
