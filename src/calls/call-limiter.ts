import { FairQueue, type Release } from '#scheduling/fair-queue.js';

/** Maximum number of active calls: as many as keep a processor busy. */
const maxActive = 64;
/** The dispatcher may claim more deliveries while fewer than this wait to begin. */
const refillBelow = 16;
/** Time after which a call no longer counts as active, in milliseconds: it then waits for its receiver. */
const activeTime = 25;

/**
 * Limits how many calls begin at a time. Receivers that answer at once are called over few connections, which stay
 * busy. Calls to slow or hanging receivers make room for others after `activeTime`. Organizations share the slots
 * fairly.
 */
export interface CallLimiter<Item> {
  /** Begins the item's call as soon as a slot is free, in order of admission within its organization. */
  admit(organizationId: string, item: Item): void;
  /** Resolves once so few calls wait that the dispatcher may claim more. */
  ready(): Promise<void>;
  /** Admits nothing more. Returns the items that have not begun. */
  close(): Item[];
}

/**
 * Creates a limiter of the calls that `begin` starts. The promise of `begin` resolves when the call is over, and must
 * never reject.
 */
export function createCallLimiter<Item>(begin: (item: Item) => Promise<void>): CallLimiter<Item> {
  const queue = new FairQueue({ turns: maxActive, each: maxActive, waiting: Number.POSITIVE_INFINITY });
  const waiting = new Set<Item>();
  /** Resolvers of `ready()` that are still pending. */
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
        // `close()` has already returned this item to its caller.
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
