import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What a piece of work gave, and the longest time in milliseconds for which the event loop stood still meanwhile. */
export interface Delayed<T> {
  result: T;
  longest: number;
}

/** Measures the event loop, which is also the service's: it runs in the process of its tests. */
export const delayDuring = async <T>(work: () => Promise<T>): Promise<Delayed<T>> => {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const result = await work();
  // The delay of what ran last is noted when the loop goes round once more.
  await new Promise((resolve) => setTimeout(resolve, 20));
  delay.disable();
  return { result, longest: delay.max / 1e6 };
};
