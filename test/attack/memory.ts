/** What a piece of work gave, and by how many bytes the resident memory of the process grew meanwhile. */
export interface Grown<T> {
  result: T;
  bytes: number;
}

/** Measures the memory, which is also the service's: it runs in the process of its tests. */
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
