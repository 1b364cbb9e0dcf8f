/**
 * Maximum number of published versions that are remembered. With more, the feed runs a full poll, after which it can
 * forget them.
 */
const maxKeys = 50_000;

/** Remembers keys until the next call of `expire`, and at least for `milliseconds`. */
export function createRecentKeys(milliseconds: number) {
  let recent = new Set<string>();
  let earlier = new Set<string>();
  let expiredAt = performance.now();
  return {
    has: (key: string) => recent.has(key) || earlier.has(key),
    add: (key: string) => void recent.add(key),
    full: () => recent.size > maxKeys,
    clear() {
      recent = new Set();
      earlier = new Set();
    },
    expire() {
      const now = performance.now();
      if (now - expiredAt < milliseconds && recent.size <= maxKeys) return;
      expiredAt = now;
      if (milliseconds > 0) earlier = recent;
      recent = new Set();
    },
  };
}
