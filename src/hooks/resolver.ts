import { AsyncLocalStorage } from 'node:async_hooks';
import type { Resolve } from './address-guard.js';
import { CallFault } from './fault.js';

/** Most lookups of slow names at once; the other threads stay free. */
const slowAtOnce = 1;
/** A lookup that takes this long makes its name a slow one, in milliseconds, */
const slowAfter = 500;
/** for this long, in milliseconds. */
const slowFor = 300_000;
/** At most this many names are remembered as slow. */
const remembered = 10_000;
/** A lookup that waited this long is dropped, in milliseconds: its call has given up, since it has less time to connect. */
const maxQueueTime = 10_000;

/** The organization that a call is made for. undici has no way to hand it on to the lookup of a new connection. */
const caller = new AsyncLocalStorage<string>();

/** Runs work whose lookups of host names count for an organization. */
export const lookingUpFor = <Result>(organizationId: string, work: () => Result): Result =>
  caller.run(organizationId, work);

/** A name that an organization waits for. */
interface Waiting {
  hostname: string;
  since: number;
  found(addresses: Promise<readonly string[]>): void;
}

/**
 * A resolver in front of one that has few threads: a name whose name server does not answer holds a thread for many
 * seconds, and a few hooks with such names would hold up every call that has to find an address.
 *
 * - An organization has fewer lookups under way than are free: whoever has many, a thread remains for another. Those
 *   that wait take turns by organization.
 * - Names that were slow share one thread until they are quick again.
 * - A name that is being looked up is not looked up a second time, whoever asks.
 *
 * @param clock milliseconds that nobody can set
 * @param atOnce lookups that the resolver can have under way
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

  /** Starts the lookups that may start, one of each organization in turn. */
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

  /** Takes those out of a queue that have waited too long. */
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
