import { scaleOf } from '#records/answer/rate-scale.js';
import { printOf, withText } from '#search/aggregation/format.js';
import { calendarInterval } from '#search/aggregation/interval.js';
import type { RateMetric } from '#search/aggregation/rate.js';
import { SearchFailure } from '#search/search-failure.js';
import type { AggregationContext, Planned } from './bucket/aggregation-context.js';
import type { Bucket } from './bucket/bucket.js';
import { numbersOf } from './value/number-of.js';

/** Plans records, values or their sum per unit of time, in time buckets. */
export const rate = ({ at, field, unit, countsValues, format }: RateMetric, context: AggregationContext): Planned => {
  const { time } = context;
  if (time === undefined)
    throw new SearchFailure(
      400,
      'illegal_argument_exception',
      'The rate aggregation can only be used inside a date histogram',
      at,
    );
  const amount = amountOf({ at, field, countsValues }, context);
  const scale = scaleOf(unit === undefined ? undefined : calendarInterval(unit), time.buckets.interval, at);
  const print = printOf(undefined, format);
  const perUnit = (bucket: Bucket): number => {
    const value = amount(bucket);
    if (typeof scale === 'number') return value * scale;
    const start = time.buckets.startOf(bucket.row?.[time.index]);
    return bucket.row === undefined ? 0 : (value * scale.unit) / (time.buckets.rounding.next(start) - start);
  };
  return { read: (bucket) => withText(perUnit(bucket), print) };
};

const amountOf = (
  { at, field, countsValues }: { at: RateMetric['at']; field: string | undefined; countsValues: boolean },
  context: AggregationContext,
) => {
  if (field === undefined) return context.count();
  const numbers = numbersOf(context, 'rate', { field }, at);
  if (numbers === undefined) return () => 0;
  const { cell } = context.aggregate(countsValues ? numbers.count : numbers.sum);
  return (bucket: Bucket) => Number(cell(bucket) ?? 0);
};
