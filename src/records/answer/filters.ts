import type { WithChildren } from '#search/aggregation/aggregation.js';
import { type Answer, hiddenKey } from '#search/aggregation/aggregation-answer.js';
import type { FiltersAggregation } from '#search/aggregation/filters.js';
import { type Awaitable, chain } from '#search/pace.js';
import type { ChildrenIn, Counting } from './children.js';

/** Filter buckets as a store found them. */
export interface FoundFilters<B, M> {
  readonly children: ChildrenIn<B, M>;
  readonly count: (bucket: B) => number;
  /**
   * Returns the bucket of each filter inside another bucket, by the filter's index. The last one is the `other` bucket,
   * if requested.
   */
  found(around: B): (index: number) => B;
}

/** Creates the reader of a `filters` answer. */
export const filtersAnswer = <B, M>(
  { filters, other, keyed }: WithChildren<FiltersAggregation>,
  { children, count, found }: FoundFilters<B, M>,
  { made }: Pick<Counting, 'made'>,
): ((around: B) => Awaitable<Answer>) => {
  // Unnamed filters are named by their index.
  const names = filters.map(({ name }, index) => name ?? `${index}`);
  if (other !== undefined) names.push(other);
  return (around) => {
    const bucketOf = found(around);
    made(names.length);
    const answers = children.readAll(names.keys(), (index) => {
      const bucket = bucketOf(index);
      return [{ key: names[index], doc_count: count(bucket) }, bucket];
    });
    return chain(answers, (named): Answer => {
      if (!keyed) return { buckets: named.map(({ key, ...answer }) => ({ ...answer, [hiddenKey]: key as string })) };
      return { buckets: Object.fromEntries(named.map(({ key, ...answer }) => [key as string, answer])) };
    });
  };
};
