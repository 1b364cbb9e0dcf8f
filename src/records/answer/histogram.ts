import type { WithChildren } from '#search/aggregation/aggregation.js';
import { type Answer, hiddenKey } from '#search/aggregation/aggregation-answer.js';
import { javaDouble, type Print } from '#search/aggregation/format.js';
import type { HistogramAggregation } from '#search/aggregation/histogram.js';
import { fillGaps, requireInOrder, requireInside } from '#search/aggregation/histogram-gap.js';
import { type Awaitable, chain } from '#search/pace.js';
import type { Input } from '#search/syntax/input.js';
import { number } from '#search/syntax/value.js';
import { comparing, orderOf, type SortMetric } from './bucket-order.js';
import type { ChildrenIn, Counting } from './children.js';

/** Numeric buckets as a store found them. */
export interface FoundNumbers<B, M> {
  readonly print: Print;
  readonly children: ChildrenIn<B, M>;
  readonly count: (bucket: B) => number;
  /**
   * Returns the buckets with records inside another bucket, with the index of each: its number of intervals from the
   * offset.
   */
  found(around: B): { bucket: B; key: number }[];
  /** Bucket without records. */
  readonly gap: B;
}

type At = { readonly index: number };

/**
 * Creates the reader of a `histogram`'s answer, which applies empty buckets, bounds and order. Invalid bounds throw
 * immediately.
 */
export const histogramAnswer = <B extends object, M extends SortMetric<B>>(
  aggregation: WithChildren<HistogramAggregation>,
  { print, children, count, found: foundIn, gap }: FoundNumbers<B, M>,
  counting: Pick<Counting, 'made' | 'pace'>,
): ((around: B) => Awaitable<Answer>) => {
  const { at, keyed, minDocCount, interval, offset } = aggregation;
  const order = orderOf(aggregation.order, children);
  const keyOf = (index: number) => index * interval + offset;
  const bound = (input: Input | undefined) => input && number(input);
  const indexOf = (value: number | undefined) =>
    value === undefined ? undefined : Math.floor((value - offset) / interval);
  const { extendedBounds: extended, hardBounds: hard } = aggregation;
  const [low, high] = [bound(extended?.min), bound(extended?.max)];
  const [least, most] = [bound(hard?.min), bound(hard?.max)];
  requireInOrder('extended_bounds', { min: low, max: high }, at);
  requireInOrder('hard_bounds', { min: least, max: most }, at);
  requireInside({ min: low, max: high }, { min: least, max: most }, at);
  const bounds = { min: indexOf(low), max: indexOf(high) };
  // The engines compare bounds with the beginning of a bucket without the offset.
  const inBounds = (index: number) =>
    (least === undefined || index * interval >= least) && (most === undefined || index * interval <= most);

  const made = (around: B): Awaitable<(B & At)[]> => {
    const found = foundIn(around)
      .filter(({ key, bucket }) => inBounds(key) && count(bucket) >= minDocCount)
      .sort((a, b) => a.key - b.key);
    const one = () => counting.made(1);
    if (minDocCount > 0) return found.map(({ bucket, key }) => (one(), { ...bucket, index: key }));
    return counting.pace.map(
      fillGaps(found, (index) => index + 1, bounds, one),
      ({ key, bucket }) => ({ ...(bucket ?? gap), index: key }),
    );
  };
  const head = (bucket: B & At): Answer => {
    const key = keyOf(bucket.index);
    return {
      ...(print !== undefined && { key_as_string: print(key) }),
      key,
      [hiddenKey]: javaDouble(key),
      doc_count: count(bucket),
    };
  };
  return (around) => {
    const read = chain(made(around), (buckets) => {
      if (aggregation.order.length > 0)
        buckets.sort(comparing(order, count, (a: B & At, b: B & At) => a.index - b.index));
      return children.readAll(buckets, (bucket) => [head(bucket), bucket]);
    });
    return chain(read, (answers): Answer => {
      if (!keyed) return { buckets: answers };
      const named = answers.map((answer) => [answer['key_as_string'] ?? javaDouble(answer['key'] as number), answer]);
      return { buckets: Object.fromEntries(named) };
    });
  };
};
