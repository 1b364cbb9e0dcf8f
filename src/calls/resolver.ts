import { AsyncLocalStorage } from 'node:async_hooks';
import type { Resolve } from './address-guard.js';
import { CallFault } from './fault.js';

/** Maximum number of concurrent lookups of slow names. The other threads stay free for quick names. */
const slowAtOnce = 1;
/** A lookup that takes longer than this marks its name as slow, in milliseconds. */
const slowAfter = 500;
/** A name stays marked as slow for this long, in milliseconds. */
const slowFor = 300_000;
/** Maximum number of names remembered as slow. */
const remembered = 10_000;
/**
 * Maximum time that a lookup waits, in milliseconds. Its call has given up by then, because it has less time to
 * connect.
 */
const maxQueueTime = 10_000;

/** The organization of the current call. undici has no way to pass it to the lookup of a new connection. */
const caller = new AsyncLocalStorage<string>();

/** Runs `work` and counts its lookups of host names for an organization. */
export const lookingUpFor = <Result>(organizationId: string, work: () => Result): Result =>
  caller.run(organizationId, work);

/** A lookup that an organization waits for. */
interface Waiting {
  hostname: string;
  since: number;
  found(addresses: Promise<readonly string[]>): void;
}

/**
 * Creates a fair resolver in front of one with few threads. A name whose name server does not answer holds a thread for
 * many seconds, so a few hooks with such names would delay every call that has to find an address.
 *
 * - An organization has fewer lookups in flight than are free, so a thread always remains for another organization.
 *   Waiting lookups run round-robin by organization.
 * - Slow names share one thread until they are quick again.
 * - Requests for a name that is already being looked up share that lookup.
 *
 * @param clock monotonic milliseconds
 * @param atOnce maximum number of concurrent lookups of `resolve`
 */
export function createFairResolve(resolve: Resolve, clock: () => number, atOnce: number): Resolve {
  const underWay = new Map<string, Promise<readonly string[]>>();
  const busy = new Map<string, number>();
  const queues = new Map<string, Waiting[]>();
  const slow = new Map<string, number>();
  let slowBusy = 0;
  let total = 0;

  const isSlow = (hostname: string) => (slow.get(hostname) ?? 0) > clock();

  const mayBegin = (organization: string, hostname: string) =>
    (busy.get(organization) ?? 0) < atOnce - total && !(isSlow(hostname) && slowBusy >= slowAtOnce);

  const begin = (organization: string, hostname: string): Promise<readonly string[]> => {
    const wasSlow = isSlow(hostname);
    const begun = clock();
    total++;
    busy.set(organization, (busy.get(organization) ?? 0) + 1);
    if (wasSlow) slowBusy++;
    const found = resolve(hostname).finally(() => {
      total--;
      const left = busy.get(organization)! - 1;
      if (left > 0) busy.set(organization, left);
      else busy.delete(organization);
      if (wasSlow) slowBusy--;
      underWay.delete(hostname);
      slow.delete(hostname);
      if (clock() - begun >= slowAfter) slow.set(hostname, clock() + slowFor);
      if (slow.size > remembered) slow.delete(slow.keys().next().value!);
      letIn();
    });
    underWay.set(hostname, found);
    return found;
  };

  /** Starts the lookups that may start, round-robin by organization. */
  const letIn = () => {
    for (let begun = true; begun; ) {
      begun = false;
      for (const [organization, queue] of Array.from(queues)) {
        for (const late of dropped(queue)) late.found(Promise.reject(tooLate(late.hostname)));
        const next = queue.findIndex(({ hostname }) => underWay.has(hostname) || mayBegin(organization, hostname));
        const [waiting] = next < 0 ? [] : queue.splice(next, 1);
        if (queue.length === 0) queues.delete(organization);
        if (!waiting) continue;
        begun = true;
        waiting.found(underWay.get(waiting.hostname) ?? begin(organization, waiting.hostname));
      }
    }
  };

  /** Removes the lookups that waited too long from a queue and returns them. */
  const dropped = (queue: Waiting[]) => {
    const before = clock() - maxQueueTime;
    const count = queue.findIndex(({ since }) => since > before);
    return queue.splice(0, count < 0 ? queue.length : count);
  };

  return (hostname) => {
    const pending = underWay.get(hostname);
    if (pending) return pending;
    const organization = caller.getStore() ?? '';
    if (mayBegin(organization, hostname)) return begin(organization, hostname);
    return new Promise((found) => {
      const queue = queues.get(organization) ?? [];
      queue.push({ hostname, since: clock(), found });
      queues.set(organization, queue);
    });
  };
}

const tooLate = (hostname: string) =>
  new CallFault('DNS', `The host name ${hostname} could not be looked up in time.`, true);
