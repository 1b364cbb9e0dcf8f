/** The result of `work`, and the growth of the process's resident memory in bytes. */
export interface Grown<T> {
  result: T;
  bytes: number;
}

/** Measures the memory of the process that test and service share. */
export const growthDuring = async <T>(work: () => Promise<T>): Promise<Grown<T>> => {
  const before = process.memoryUsage.rss();
  let most = before;
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 10);
  const result = await work();
  clearInterval(timer);
  look();
  return { result, bytes: most - before };
};
