import { dateHistogramAnswer } from '#records/answer/date-histogram.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import type { DateHistogramAggregation } from '#search/aggregation/date-histogram.js';
import { printOf } from '#search/aggregation/format.js';
import { unsupported } from '#search/aggregation/number-of.js';
import { utc, type Zone } from '#search/date/zone.js';
import { dateReading } from '#search/query/binding.js';
import type { StoredField } from '../sql/stored-field.js';
import type { AggregationContext, Planned } from './bucket/aggregation-context.js';
import { gap } from './bucket/bucket.js';
import { type DateBuckets, dateBuckets } from './bucket/date-bucket.js';
import { fieldOrMissing } from './value/missing-value.js';

/** Plans a bucket for each time interval, including empty ones between them. */
export const dateHistogram = (
  aggregation: WithChildren<DateHistogramAggregation>,
  context: AggregationContext,
): Planned => {
  const { at, format } = aggregation;
  const { planning } = context;
  const reading = dateReading(planning.now, format, aggregation.timeZone);
  const zone = reading.zone ?? utc;
  const field = fieldOrMissing('date', aggregation, at, context);
  const buckets = bucketsOf(aggregation, field, context, zone);
  const inner = field && context.inside([buckets.key], { time: buckets });
  const children = inner?.planAll(aggregation) ?? context.planEmpty(aggregation, buckets);
  const read = dateHistogramAnswer(
    aggregation,
    {
      reading,
      rounding: buckets.rounding,
      print: printOf(field ?? context.field('ts', at), format, zone)!,
      children,
      count: inner?.count() ?? (() => 0),
      found: (around) =>
        (inner?.rows.bucketsOf(around) ?? []).map((bucket) => ({
          bucket,
          key: buckets.startOf(inner!.rows.keysOf(bucket.row!)[0]),
        })),
      gap,
    },
    planning,
  );
  return { read };
};

const bucketsOf = (
  aggregation: WithChildren<DateHistogramAggregation>,
  field: StoredField | undefined,
  context: AggregationContext,
  zone: Zone,
): DateBuckets => {
  const { at, interval, offset } = aggregation;
  if (field !== undefined && field.kind !== 'date') throw unsupported(field, 'date_histogram', at);
  return dateBuckets(field ?? context.field('ts', at)!, interval, zone, offset, context.planning.span);
};
