import { useMemo } from 'preact/hooks';
import { endsOf, parseRange } from '../format/range.js';
import { zone } from '../format/time.js';
import type { Address } from './address.js';
import { useNow } from './use-now.js';

/** Step in seconds at which a range that follows the clock advances. */
const step = 5;

/**
 * Returns the ends of the range in the address in Unix seconds: fixed when it was chosen, or following the clock
 * (`follow`).
 */
export function useRange(address: Address, fallback = 'day'): { from: number; to: number } {
  const text = address.get('range');
  const follows = address.get('follow') !== '';
  const now = useNow(follows ? step : undefined);
  const following = follows ? now : undefined;
  return useMemo(() => endsOf(parseRange(text, fallback), following), [text, fallback, following, zone.value]);
}
