import { useEffect, useState } from 'preact/hooks';

/** The present in whole seconds, anew every so many seconds: what follows the clock asks again no oftener than that. */
export function useNow(every: number): number {
  const [now, setNow] = useState(() => stepOf(every));
  useEffect(() => {
    const timer = setInterval(() => setNow(stepOf(every)), every * 1000);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

const stepOf = (every: number) => Math.ceil(Date.now() / 1000 / every) * every;
