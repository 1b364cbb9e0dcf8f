import { useEffect, useState } from 'preact/hooks';

/**
 * The present in whole seconds, anew every so many seconds: what follows the clock asks again no oftener than that.
 * Without `every` it stays.
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
