import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { FilterAggregation } from '../../../../search/aggregation/filter.js';
import { bindQuery } from '../../../../search/query/bind.js';
import type { Binding } from '../../../../search/query/binding.js';
import type { Predicate } from '../../../../search/query/predicate.js';
import { singleBucket } from './bucket/single-bucket.js';
import type { Planned, Stage } from './bucket/stage.js';

/** One bucket, of the records that match a query. */
export const filter = (aggregation: WithChildren<FilterAggregation>, stage: Stage): Planned =>
  singleBucket(aggregation, stage.filtered(recordsMatching(aggregation, stage.planning)));

/** Which records the bucket of a `filter` has. */
export const recordsMatching = ({ filter: query }: FilterAggregation, binding: Binding): Predicate =>
  bindQuery(query, binding);
