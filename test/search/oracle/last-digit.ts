import { isDeepStrictEqual } from 'node:util';
import { compareValue } from './compare-value.js';
import type { Plain } from './plain.js';
import { sortKeys } from './sort.js';

// Sums of doubles depend on the order of addition. This file handles where that shows.

/** Returns their buckets in our order, when the sort values differ only in the last digits. */
export const inOurOrder = (order: unknown, ours: unknown, theirs: unknown): { buckets?: Plain[] } => {
  const paths = sortKeys(order).filter((path) => !path.startsWith('_'));
  if (paths.length === 0 || !Array.isArray(ours) || !Array.isArray(theirs) || ours.length !== theirs.length) return {};
  const [mine, other] = [ours, theirs] as [Plain[], Plain[]];
  const sortedBy = (bucket: Plain) => paths.map((path) => valueAt(bucket, path));
  const moved = mine.map((bucket) => sameKey(other, bucket)).filter((bucket) => bucket !== undefined);
  if (moved.length < mine.length) return {};
  const isTie = (bucket: Plain, place: number) => {
    const [here, there] = [sortedBy(bucket), sortedBy(other[place]!)];
    const counterpart = sameKey(mine, other[place]!);
    const isExact =
      isDeepStrictEqual(here, there) &&
      counterpart !== undefined &&
      isDeepStrictEqual(sortedBy(mine[place]!), sortedBy(counterpart));
    return bucket === other[place] || (!isExact && compareValue(here, there, '').length === 0);
  };
  return moved.every(isTie) ? { buckets: moved } : {};
};

const sameKey = (buckets: readonly Plain[], like: Plain): Plain | undefined =>
  buckets.find(({ key }) => isDeepStrictEqual(key, like['key']));

/** Returns the value in a bucket at the path of a sort or pipeline aggregation. */
const valueAt = (bucket: Plain, path: string): unknown => {
  if (path === '_count') return bucket['doc_count'];
  const [names = '', measure = 'value'] = path.split('.');
  return names.split('>').reduce<Plain | undefined>((one, name) => one?.[name] as Plain | undefined, bucket)?.[measure];
};

/**
 * Returns the magnitude, in thousands, of the numbers that a pipeline aggregation subtracts: its result is only as
 * exact as these.
 */
export const scaleOf = ({ buckets_path: path }: Plain, buckets: readonly Plain[]): number =>
  Math.max(1, ...buckets.map((bucket) => Number(valueAt(bucket, String(path)))).map(sizeOf));

const sizeOf = (value: number): number => (Number.isFinite(value) ? Math.abs(value) / 1000 : 0);
