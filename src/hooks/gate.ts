/** Calls that begin without waiting for another to end: as many as keep a processor busy. */
const maxActive = 64;
/** With fewer than this waiting, the dispatcher may claim more. */
const refillBelow = 16;
/** A call that takes longer than this waits for its receiver and no longer counts, in milliseconds. */
const activeTime = 25;

/**
 * Lets calls begin a few at a time. Receivers that answer at once are called over few connections, kept busy; those
 * that take their time, or hang, make room for others after a while. Organizations take turns.
 */
export interface Gate<Item> {
  /** Begins with it as soon as it may, in the order of asking among those of its organization. */
  admit(organizationId: string, item: Item): void;
  /** Resolves once so few wait that more may come. */
  ready(): Promise<void>;
  /** Lets nothing in any more; answers what had not begun. */
  close(): Item[];
}

/** A gate in front of what `begin` starts; it resolves when that is over, and never rejects. */
export function createGate<Item>(begin: (item: Item) => Promise<void>): Gate<Item> {
  /** What waits, by organization; that whose last turn is longest ago comes first. */
  const queues = new Map<string, Item[]>();
  let waiting = 0;
  let counted = 0;
  let tell: (() => void) | undefined;

  const shift = (): Item | undefined => {
    const [first] = queues;
    if (first === undefined) return undefined;
    const [organizationId, queue] = first;
    const item = queue.shift();
    waiting--;
    queues.delete(organizationId);
    if (queue.length > 0) queues.set(organizationId, queue);
    return item;
  };

  const enter = (item: Item) => {
    counted++;
    let counts = true;
    const leave = () => {
      clearTimeout(timer);
      if (!counts) return;
      counts = false;
      counted--;
      const next = shift();
      if (next !== undefined) enter(next);
      if (waiting < refillBelow) tell?.();
    };
    const timer = setTimeout(leave, activeTime);
    void begin(item).then(leave);
  };

  return {
    admit(organizationId, item) {
      if (counted < maxActive) return enter(item);
      const queue = queues.get(organizationId);
      if (queue === undefined) queues.set(organizationId, [item]);
      else queue.push(item);
      waiting++;
    },
    ready: () =>
      waiting < refillBelow
        ? Promise.resolve()
        : new Promise((resolve) => {
            tell = resolve;
          }),
    close() {
      const left = [...queues.values()].flat();
      queues.clear();
      waiting = 0;
      tell?.();
      return left;
    },
  };
}
