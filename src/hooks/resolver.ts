import type { Resolve } from './address.js';

/** Threads that the system's resolver has in a process; files and compression share them. */
const threads = 4;
/** Names that are known to be slow are looked up so many at a time; the other threads stay free of them. */
const slowAtOnce = 1;
/** A lookup that takes this long makes its name a slow one, in milliseconds, */
const slowAfter = 500;
/** for this long, in milliseconds. */
const slowFor = 300_000;
/** At most this many names are remembered as slow. */
const remembered = 10_000;

/**
 * A resolver in front of one that has few threads: a name whose name server does not answer holds a thread for many
 * seconds, and a few hooks with such names would hold up every call that has to find an address. Names that were slow
 * share one thread until they are quick again; a name that is being looked up is not looked up a second time.
 */
export function createFairResolve(resolve: Resolve, clock: () => number): Resolve {
  const pending = new Map<string, Promise<readonly string[]>>();
  const slow = new Map<string, number>();
  const usual = createLane(threads - slowAtOnce);
  const patient = createLane(slowAtOnce);

  const look = async (hostname: string) => {
    const lane = (slow.get(hostname) ?? 0) > clock() ? patient : usual;
    await lane.enter();
    const begun = clock();
    try {
      return await resolve(hostname);
    } finally {
      slow.delete(hostname);
      if (clock() - begun >= slowAfter) slow.set(hostname, clock() + slowFor);
      if (slow.size > remembered) slow.delete(slow.keys().next().value!);
      lane.leave();
    }
  };

  return (hostname) => {
    const known = pending.get(hostname);
    if (known) return known;
    const found = look(hostname).finally(() => pending.delete(hostname));
    pending.set(hostname, found);
    return found;
  };
}

/** Lets so many in at a time, the others in the order of asking. */
function createLane(room: number) {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return {
    async enter(): Promise<void> {
      if (inside >= room) await new Promise<void>((resolve) => waiting.push(resolve));
      else inside++;
    },
    leave() {
      const next = waiting.shift();
      if (next) next();
      else inside--;
    },
  };
}
