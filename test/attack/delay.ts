/** What a piece of work gave, and the longest that the event loop stood still for it, in milliseconds. */
export interface Delayed<T> {
  result: T;
  longest: number;
}

/**
 * Measures the event loop, which is also the service's: it runs in the process of its tests. What counts is the processor's
 * time that the thread used between two rounds of its timers. A clock would count what other programs of the machine took too.
 */
export const delayDuring = async <T>(work: () => Promise<T>): Promise<Delayed<T>> => {
  let longest = 0;
  let last = threadTime();
  const note = () => {
    const now = threadTime();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(note, 1);
  try {
    const result = await work();
    // What ran last counts when the loop goes round once more.
    await new Promise((resolve) => setTimeout(resolve, 5));
    note();
    return { result, longest };
  } finally {
    clearInterval(timer);
  }
};

/** Milliseconds. */
const threadTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
