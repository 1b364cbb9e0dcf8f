import { useMemo } from 'preact/hooks';
import type { Address } from './address.js';
import { endsOf, parseRange, type ranges } from './time.js';
import { useNow } from './use-now.js';

/** How often a range that follows the clock moves on, in seconds. */
const step = 5;

/** The ends of the range of the address in Unix seconds: as of when it was chosen, or moving with the clock (`follow`). */
export function useRange(address: Address, fallback: keyof typeof ranges = 'day'): { from: number; to: number } {
  const text = address.get('range');
  const follows = address.get('follow') !== '';
  const now = useNow(follows ? step : undefined);
  const following = follows ? now : undefined;
  return useMemo(() => endsOf(parseRange(text, fallback), following), [text, fallback, following]);
}
