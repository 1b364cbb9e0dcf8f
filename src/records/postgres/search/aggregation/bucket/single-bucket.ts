import type { WithChildren } from '../../../../../search/aggregation/aggregation.js';
import type { FilterAggregation } from '../../../../../search/aggregation/filter.js';
import type { GlobalAggregation } from '../../../../../search/aggregation/global.js';
import type { MissingAggregation } from '../../../../../search/aggregation/missing.js';
import type { Bucket } from './bucket.js';
import type { Planned, Stage } from './stage.js';

/**
 * Plans an aggregation with a single bucket.
 * @param own returns the bucket that its answers are read from, for an enclosing bucket
 */
export const singleBucket = (
  aggregation: WithChildren<FilterAggregation | MissingAggregation | GlobalAggregation>,
  inner: Stage,
  own = (bucket: Bucket) => bucket,
): Planned => {
  const children = inner.planAll(aggregation);
  const count = inner.count();
  const counted = inner.filters.length === 0 ? undefined : inner.counted();
  return {
    children,
    read: (bucket) => children.read(own(bucket), { doc_count: count(own(bucket)) }),
    ...(counted && {
      sortable: (property: string) =>
        property === '' || property === 'doc_count' ? { ...counted, empty: 0 } : undefined,
    }),
  };
};
