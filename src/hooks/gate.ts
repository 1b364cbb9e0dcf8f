/** Calls that begin without waiting for another to end: as many as keep a processor busy. */
const atOnce = 64;
/** With fewer than this waiting, the dispatcher may claim more. */
const low = 16;
/** A call that takes longer than this waits for its receiver and no longer counts, in milliseconds. */
const patience = 25;

/**
 * Lets calls begin a few at a time. Receivers that answer at once are called over few connections, kept busy; those
 * that take their time, or hang, make room for others after a moment.
 */
export interface Gate<Item> {
  /** Begins with it as soon as there is room, in the order of asking. */
  admit(item: Item): void;
  /** Resolves once so few wait that there is room for more. */
  room(): Promise<void>;
  /** Lets nothing in any more; answers what had not begun. */
  close(): Item[];
}

/** A gate in front of what `begin` starts; it resolves when that is over, and never rejects. */
export function createGate<Item>(begin: (item: Item) => Promise<void>): Gate<Item> {
  let queue: Item[] = [];
  let counted = 0;
  let tell: (() => void) | undefined;

  const enter = (item: Item) => {
    counted++;
    let counts = true;
    const leave = () => {
      clearTimeout(timer);
      if (!counts) return;
      counts = false;
      counted--;
      const next = queue.shift();
      if (next !== undefined) enter(next);
      if (queue.length < low) tell?.();
    };
    const timer = setTimeout(leave, patience);
    void begin(item).then(leave);
  };

  return {
    admit(item) {
      if (counted < atOnce) enter(item);
      else queue.push(item);
    },
    room: () =>
      queue.length < low
        ? Promise.resolve()
        : new Promise((resolve) => {
            tell = resolve;
          }),
    close() {
      const left = queue;
      queue = [];
      tell?.();
      return left;
    },
  };
}
