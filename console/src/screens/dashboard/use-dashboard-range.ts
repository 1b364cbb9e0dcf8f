import { useMemo } from 'preact/hooks';
import type { Address } from '../../browser/address.js';
import { parseRange, ranges } from '../../format/time.js';
import type { RangeName } from './document.js';

/** Returns the range in the address: a length in seconds that follows the clock, or its ends. */
export function useDashboardRange(address: Address, usual: RangeName): number | { from: number; to: number } {
  const text = address.get('range');
  return useMemo(() => {
    const range = parseRange(text, usual);
    return 'last' in range ? ranges[range.last] : range;
  }, [text, usual]);
}
