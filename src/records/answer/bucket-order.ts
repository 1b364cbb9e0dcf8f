import { type BucketOrder, stepsOf } from '#search/aggregation/option/bucket-order.js';
import { type FaultPosition, SearchFailure } from '#search/search-failure.js';
import type { ChildrenIn } from './children.js';

export interface SortMetric<B> {
  /** Returns the metric's value in a bucket; null without one. */
  readonly cell: (bucket: B) => unknown;
  /** Default for missing values: a number, or `last` to sort them last in either direction. */
  readonly empty: number | 'last';
}

/** A resolved order key: the count, the bucket's key, or a metric inside the bucket. */
export type BucketOrderKey<M> = { readonly descending: boolean } & (
  | { readonly by: 'count' }
  | { readonly by: 'key' }
  | { readonly by: 'metric'; readonly metric: M }
);

/** Resolves an order. Ties are broken by the key, ascending. */
export const orderOf = <B, M>(order: readonly BucketOrder[], children: ChildrenIn<B, M>): BucketOrderKey<M>[] => {
  const keys = order.map(({ path, descending, at }): BucketOrderKey<M> => {
    if (path === '_count') return { by: 'count', descending };
    if (path === '_key') return { by: 'key', descending };
    return { by: 'metric', descending, metric: metricOf(path, children, at) };
  });
  return keys.some(({ by }) => by === 'key') ? keys : [...keys, { by: 'key', descending: false }];
};

/** Creates a comparator of buckets by an order. */
export const comparing =
  <B, T extends B>(
    order: readonly BucketOrderKey<SortMetric<B>>[],
    count: (bucket: B) => number,
    byKey: (a: T, b: T) => number,
  ) =>
  (a: T, b: T): number => {
    for (const key of order) {
      const sign = key.descending ? -1 : 1;
      if (key.by === 'metric') {
        const difference = compareMetric(key.metric, a, b, sign);
        if (difference !== 0) return difference;
      } else {
        const difference = key.by === 'count' ? count(a) - count(b) : byKey(a, b);
        if (difference !== 0) return sign * difference;
      }
    }
    return 0;
  };

const compareMetric = <B>({ cell, empty }: SortMetric<B>, a: B, b: B, sign: number): number => {
  const [left, right] = [cell(a), cell(b)];
  if (empty === 'last') {
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * (Number(left) - Number(right));
  }
  const [x, y] = [Number(left ?? empty), Number(right ?? empty)];
  return x === y ? 0 : sign * (x < y ? -1 : 1);
};

const metricOf = <B, M>(path: string, children: ChildrenIn<B, M>, place: FaultPosition): M => {
  const { around: steps, whole, metric, property } = stepsOf(path)!;
  let around = children;
  for (const step of steps) {
    const inner = around.get(step)?.children;
    if (inner === undefined) throw invalidOrder(path, place);
    around = inner;
  }
  const found = around.get(whole)?.sortable?.('') ?? around.get(metric)?.sortable?.(property);
  if (found === undefined) throw invalidOrder(path, place);
  return found;
};

const invalidOrder = (path: string, place: FaultPosition) =>
  new SearchFailure(
    400,
    'aggregation_execution_exception',
    `Invalid aggregation order path [${path}]. The path must name a metric, or a metric inside aggregations of one bucket.`,
    place,
  );
