import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { FiltersAggregation } from '../../../../search/aggregation/filters.js';
import { bindQuery } from '../../../../search/query/bind.js';
import { not, or, type Predicate } from '../../../../search/query/predicate.js';
import { filtersAnswer } from '../../../answer/filters.js';
import { type Bucket, emptyIn } from './bucket/bucket.js';
import { conditionKey } from './bucket/condition-key.js';
import type { Planned, Stage } from './bucket/stage.js';

/** Plans a bucket for each query and, if requested, one for records that match none. */
export const filters = (aggregation: WithChildren<FiltersAggregation>, stage: Stage): Planned => {
  const bound: Predicate[] = aggregation.filters.map(({ query }) => bindQuery(query, stage.planning));
  const conditions = aggregation.other === undefined ? bound : [...bound, not(or(bound))];
  const inner = stage.inside([conditionKey(conditions, stage.level.depth)]);
  const children = inner.planAll(aggregation);
  const found = (around: Bucket) => {
    const buckets = inner.level.bucketsOf(around);
    const byIndex = new Map(buckets.map((bucket) => [Number(inner.level.keysOf(bucket.row!)[0]), bucket]));
    return (index: number) => byIndex.get(index) ?? emptyIn(around);
  };
  return { read: filtersAnswer(aggregation, { children, count: inner.count(), found }, stage.planning) };
};
