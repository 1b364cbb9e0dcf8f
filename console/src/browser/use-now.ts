import { useEffect, useState } from 'preact/hooks';

/**
 * Returns the current time in whole seconds, updated every `every` seconds. Queries that depend on it repeat no more
 * often. Without `every` it does not change.
 */
export function useNow(every: number | undefined): number {
  const [now, setNow] = useState(() => stepOf(every));
  useEffect(() => {
    if (every === undefined) return undefined;
    const timer = setInterval(() => setNow(stepOf(every)), every * 1000);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

const stepOf = (every = 1) => Math.ceil(Date.now() / 1000 / every) * every;
