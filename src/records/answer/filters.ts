import type { WithChildren } from '../../search/aggregation/aggregation.js';
import { type Answer, hiddenKey } from '../../search/aggregation/answer.js';
import type { FiltersAggregation } from '../../search/aggregation/filters.js';
import { type Awaitable, chain } from '../../search/pace.js';
import type { ChildrenIn, Counting } from './children.js';

/** Buckets of filters as a store finds them. */
export interface FoundFilters<B, M> {
  readonly children: ChildrenIn<B, M>;
  readonly count: (bucket: B) => number;
  /** The bucket of each filter inside another, by the filter's place; the last is that of the others where it is asked for. */
  found(around: B): (index: number) => B;
}

/** Reads the answer of `filters`. */
export const filtersAnswer = <B, M>(
  { filters, other, keyed }: WithChildren<FiltersAggregation>,
  { children, count, found }: FoundFilters<B, M>,
  { made }: Pick<Counting, 'made'>,
): ((around: B) => Awaitable<Answer>) => {
  // Those without names are sorted by their places.
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
