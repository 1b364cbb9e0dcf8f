import { compareKeys, compareTexts } from '#records/answer/key.js';
import type { EngineBucket } from '#records/opensearch/engine.js';
import { maxBuckets, tooManyBuckets } from '#search/search-failure.js';

/** Order of the buckets by one part of their keys. */
interface PageKey {
  readonly descending: boolean;
  readonly nullsFirst: boolean;
  readonly missingBucket: boolean;
  readonly textOf?: (number: number) => string | null;
}

/** Position and size of a page: it starts after the key `start`. */
interface Page {
  readonly start: readonly unknown[] | undefined;
  readonly size: number;
}

/** Sorts all buckets by their keys, with texts of devices instead of device numbers, and returns one page of them. */
export const compositePage = (
  buckets: readonly EngineBucket[],
  keys: readonly PageKey[],
  { start, size }: Page,
): readonly EngineBucket[] => {
  // The engine may have more buckets than it returns at once.
  if (buckets.length >= maxBuckets) throw tooManyBuckets(buckets.length);
  const compare = (a: readonly unknown[], b: readonly unknown[]): number => {
    for (const [index, key] of keys.entries()) {
      const difference = compareParts(key, a[index], b[index]);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  return buckets
    .map((bucket) => ({ bucket, parts: partsOf(bucket, keys) }))
    .filter(({ parts }) => keys.every(({ missingBucket }, index) => missingBucket || parts[index] !== null))
    .filter(({ parts }) => start === undefined || compare(parts, start) > 0)
    .sort((a, b) => compare(a.parts, b.parts))
    .slice(0, size)
    .map(({ bucket, parts }) => ({
      ...bucket,
      key: Object.fromEntries(parts.map((part, index) => [`s${index}`, part])),
    }));
};

const partsOf = ({ key }: EngineBucket, keys: readonly PageKey[]): readonly unknown[] =>
  keys.map(({ textOf }, index) => {
    const part = (key as Readonly<Record<string, unknown>>)[`s${index}`] ?? null;
    return textOf === undefined || part === null ? part : textOf(Number(part));
  });

const compareParts = ({ descending, nullsFirst }: PageKey, a: unknown, b: unknown): number => {
  if (a === null || b === null) {
    if (a === b) return 0;
    return (a === null) === nullsFirst ? -1 : 1;
  }
  const areTexts = typeof a === 'string' && typeof b === 'string';
  const difference = areTexts ? compareTexts(a, b) : compareKeys('long', plain(a), plain(b));
  return descending ? -difference : difference;
};

const plain = (part: unknown): unknown => (typeof part === 'bigint' ? `${part}` : part);
