import type { WithChildren } from '../../../../../search/aggregation/aggregation.js';
import type { Print } from '../../../../../search/aggregation/format.js';
import type { GeoDistanceAggregation } from '../../../../../search/aggregation/geo-distance.js';
import { numberOf } from '../../../../../search/aggregation/number-of.js';
import type { RangeAggregation } from '../../../../../search/aggregation/option/range.js';
import type { DateReading } from '../../../../../search/date/date-input.js';
import type { Field } from '../../../../../search/field/field.js';
import { none, not, or, type Predicate } from '../../../../../search/query/predicate.js';
import type { Input } from '../../../../../search/syntax/input.js';
import { type Range, rangeAnswer, rangesOf, within } from '../../../../answer/range.js';
import type { StoredField } from '../../sql/stored-field.js';
import { type Bucket, emptyIn, gap } from './bucket.js';
import { conditionKey } from './condition-key.js';
import type { Planned, Stage } from './stage.js';

/** Functions that read and print the ends of ranges. */
interface FieldRanges {
  readonly field: StoredField | undefined;
  readonly reading: DateReading;
  readonly read: (input: Input) => number;
  readonly print: Print;
}

/** Plans ranges of a field's values, with a default for missing values. */
export const fieldRanges = (
  aggregation: WithChildren<RangeAggregation>,
  stage: Stage,
  { field, reading, read, print }: FieldRanges,
): Planned => {
  const missing = field && aggregation.missing && numberOf(field, aggregation.missing, reading);
  return rangeBuckets(aggregation, stage, field, rangesOf(aggregation.ranges, read), print, (one) => {
    if (field === undefined) return none;
    const instead = missing !== undefined && missing >= one.from && missing < one.to;
    return instead ? or([within(field, one), not({ kind: 'exists', field })]) : within(field, one);
  });
};

/** Plans a bucket for each range. */
export const rangeBuckets = (
  aggregation: WithChildren<RangeAggregation | GeoDistanceAggregation>,
  stage: Stage,
  field: Field | undefined,
  ranges: readonly Range[],
  print: Print,
  predicate: (range: Range) => Predicate,
): Planned => {
  const inner = stage.inside([conditionKey(ranges.map(predicate), stage.level.depth)]);
  const children = inner.planAll(aggregation);
  const found = (around: Bucket) => {
    const buckets = inner.level.bucketsOf(around);
    const byIndex = new Map(buckets.map((bucket) => [Number(inner.level.keysOf(bucket.row!)[0]), bucket]));
    return (index: number) => byIndex.get(index) ?? (field === undefined ? gap : emptyIn(around));
  };
  const parts = { ranges, print, children, count: inner.count(), found };
  return { read: rangeAnswer(aggregation, parts, stage.planning) };
};
