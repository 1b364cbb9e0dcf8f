import { releaseMemory } from '../../src/runtime/memory.js';

/** The result of `work`, and the longest time in milliseconds for which the event loop was blocked. */
export interface Delayed<T> {
  result: T;
  longest: number;
}

/**
 * Measures the event loop that test and service share. It counts the CPU time of the thread between two rounds of its
 * timers, since wall time would include other programs.
 */
export const delayDuring = async <T>(work: () => Promise<T>): Promise<Delayed<T>> => {
  // Collecting the garbage of earlier tests takes up to 0.1 s of the thread, and is no delay of the service.
  releaseMemory();
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
    // Waits one more round of the event loop, so that the last task is measured too.
    await new Promise((resolve) => setTimeout(resolve, 5));
    note();
    return { result, longest };
  } finally {
    clearInterval(timer);
  }
};

/** CPU time in milliseconds. */
const threadTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
