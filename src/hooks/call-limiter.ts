import { FairQueue, type Release } from '../fair-queue.js';

/** Calls that begin without waiting for another to end: as many as keep a processor busy. */
const maxActive = 64;
/** With fewer than this waiting, the dispatcher may claim more. */
const refillBelow = 16;
/** A call that takes longer than this waits for its receiver and no longer counts, in milliseconds. */
const activeTime = 25;

/**
 * Lets calls begin a few at a time. Receivers that answer at once are called over few connections, kept busy; those
 * that take their time, or hang, make room for others after a while. Organizations share what may begin fairly.
 */
export interface CallLimiter<Item> {
  /** Begins with it as soon as it may, in the order of asking among those of its organization. */
  admit(organizationId: string, item: Item): void;
  /** Resolves once so few wait that more may come. */
  ready(): Promise<void>;
  /** Lets nothing in any more; answers what had not begun. */
  close(): Item[];
}

/** Limits what `begin` starts; it resolves when that is over, and never rejects. */
export function createCallLimiter<Item>(begin: (item: Item) => Promise<void>): CallLimiter<Item> {
  const queue = new FairQueue({ turns: maxActive, each: maxActive, waiting: Number.POSITIVE_INFINITY });
  const waiting = new Set<Item>();
  /** Who waits until more may come. */
  let claimers: (() => void)[] = [];
  const tellClaimers = () => {
    for (const resolve of claimers) resolve();
    claimers = [];
  };

  const enter = (item: Item, release: Release) => {
    const leave = () => {
      clearTimeout(timer);
      release();
    };
    const timer = setTimeout(leave, activeTime);
    void begin(item).then(leave);
  };

  return {
    admit(organizationId, item) {
      const release = queue.takeFree(organizationId);
      if (release !== undefined) return enter(item, release);
      waiting.add(item);
      void queue.take(organizationId).then((later) => {
        // It was given back when the limiter was closed.
        if (!waiting.delete(item)) return later();
        enter(item, later);
        if (waiting.size < refillBelow) tellClaimers();
      });
    },
    ready: () =>
      waiting.size < refillBelow
        ? Promise.resolve()
        : new Promise((resolve) => {
            claimers.push(resolve);
          }),
    close() {
      const left = [...waiting];
      waiting.clear();
      tellClaimers();
      return left;
    },
  };
}
