import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { MissingAggregation } from '../../../../search/aggregation/missing.js';
import { type Binding, findField } from '../../../../search/query/binding.js';
import { all, none, not, type Predicate } from '../../../../search/query/predicate.js';
import { singleBucket } from './bucket/single-bucket.js';
import type { Planned, Stage } from './bucket/stage.js';

/** One bucket, of the records without a value. */
export const missing = (aggregation: WithChildren<MissingAggregation>, stage: Stage): Planned =>
  singleBucket(aggregation, stage.filtered(recordsWithout(aggregation, stage.planning)));

/** Which records the bucket of a `missing` has. */
export const recordsWithout = (
  { field: path, missing: instead, at }: MissingAggregation,
  { fields }: Binding,
): Predicate => {
  const field = findField(fields, path, at);
  if (instead !== undefined) return none;
  return field === undefined ? all : not({ kind: 'exists', field });
};
