import sql from 'sql-template-tag';
import {
  dateEnds,
  distancesOf,
  type NumericRange,
  numberEnds,
  type RangeEnds,
  rangeAnswer,
  rangePredicate,
  rangesOf,
} from '#records/answer/ranges.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import type { Print } from '#search/aggregation/format.js';
import { numberOf } from '#search/aggregation/number-of.js';
import type { GeoDistanceAggregation, RangeAggregation } from '#search/aggregation/ranges.js';
import type { Field } from '#search/field/field.js';
import { none, not, or, type Predicate } from '#search/query/predicate.js';
import { distance } from '../sql/sql-distance.js';
import type { StoredField } from '../sql/stored-field.js';
import type { AggregationContext, Planned } from './bucket/aggregation-context.js';
import { type Bucket, emptyIn, gap } from './bucket/bucket.js';
import { conditionKey } from './filters.js';
import { fieldOrMissing, pointOrMissing } from './value/missing-value.js';

/** Plans ranges of a field's values, with a default for missing values. */
const fieldRanges = (
  aggregation: WithChildren<RangeAggregation>,
  context: AggregationContext,
  field: StoredField | undefined,
  { reading, read, print }: RangeEnds,
): Planned => {
  const missing = field && aggregation.missing && numberOf(field, aggregation.missing, reading);
  return rangeBuckets(aggregation, context, field, rangesOf(aggregation.ranges, read), print, (one) => {
    if (field === undefined) return none;
    const instead = missing !== undefined && missing >= one.from && missing < one.to;
    return instead ? or([rangePredicate(field, one), not({ kind: 'exists', field })]) : rangePredicate(field, one);
  });
};

/** Plans a bucket for each range. */
const rangeBuckets = (
  aggregation: WithChildren<RangeAggregation | GeoDistanceAggregation>,
  context: AggregationContext,
  field: Field | undefined,
  ranges: readonly NumericRange[],
  print: Print,
  predicate: (range: NumericRange) => Predicate,
): Planned => {
  const inner = context.inside([conditionKey(ranges.map(predicate), context.query.depth)]);
  const children = inner.planAll(aggregation);
  const found = (around: Bucket) => {
    const buckets = inner.rows.bucketsOf(around);
    const byIndex = new Map(buckets.map((bucket) => [Number(inner.rows.keysOf(bucket.row!)[0]), bucket]));
    return (index: number) => byIndex.get(index) ?? (field === undefined ? gap : emptyIn(around));
  };
  const parts = { ranges, print, children, count: inner.count(), found };
  return { read: rangeAnswer(aggregation, parts, context.planning) };
};

/** Plans a bucket for each range of a field's numbers. */
export const range = (aggregation: WithChildren<RangeAggregation>, context: AggregationContext): Planned => {
  const field = fieldOrMissing('double', aggregation, aggregation.at, context);
  return fieldRanges(aggregation, context, field, numberEnds(aggregation, field, context.planning.now));
};

/** Plans a bucket for each range of a field's times. */
export const dateRange = (aggregation: WithChildren<RangeAggregation>, context: AggregationContext): Planned => {
  const field = fieldOrMissing('date', aggregation, aggregation.at, context);
  return fieldRanges(aggregation, context, field, dateEnds(aggregation, field, context.planning.now));
};

/** Plans a bucket for each range of distances from a location. */
export const geoDistance = (
  aggregation: WithChildren<GeoDistanceAggregation>,
  context: AggregationContext,
): Planned => {
  const { at, origin, unitMetres, ranges } = aggregation;
  const field = pointOrMissing('geo_distance', aggregation, at, context);
  const away =
    field &&
    !Number.isNaN(origin.lat) &&
    ({
      ...field,
      kind: 'double',
      valueType: 'double',
      value: sql`(${distance(field, origin)} / ${unitMetres}::float8)`,
    } satisfies StoredField);
  return rangeBuckets(aggregation, context, field, distancesOf(ranges), undefined, (one) =>
    away ? rangePredicate(away, one) : none,
  );
};
