import { useMemo } from 'preact/hooks';
import { useAddress } from './address.js';

/** Changes the range in the address to a part of it, and back. */
export interface Zoom {
  readonly zoom: (from: number, to: number) => void;
  /** Goes back to the range before the first zoom; undefined without one. */
  readonly back: (() => void) | undefined;
}

/** The range of an address without one, as `before` in the address. */
const initial = 'initial';

/**
 * Keeps the zoom in the address: `range` is the visible range, and `before` the range before the first zoom. Each zoom
 * adds an entry to the browser's history.
 */
export function useZoom(): Zoom {
  const address = useAddress();
  return useMemo(() => {
    const before = address.get('before');
    return {
      zoom: (from, to) =>
        address.go({ range: `${from}..${to}`, before: before || address.get('range') || initial, follow: '' }),
      back: before === '' ? undefined : () => address.go({ range: before === initial ? '' : before, before: '' }),
    };
  }, [address]);
}
