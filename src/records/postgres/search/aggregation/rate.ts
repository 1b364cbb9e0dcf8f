import { scaleOf } from '#records/answer/rate-scale.js';
import { printOf, withText } from '#search/aggregation/format.js';
import { calendarInterval } from '#search/aggregation/interval.js';
import type { RateMetric } from '#search/aggregation/rate.js';
import { SearchFailure } from '#search/search-failure.js';
import type { Bucket } from './bucket/bucket.js';
import type { Planned, Stage } from './bucket/stage.js';
import { numbersOf } from './value/number-of.js';

/** Plans records, values or their sum per unit of time, in time buckets. */
export const rate = ({ at, field, unit, countsValues, format }: RateMetric, stage: Stage): Planned => {
  const { time } = stage;
  if (time === undefined)
    throw new SearchFailure(
      400,
      'illegal_argument_exception',
      'The rate aggregation can only be used inside a date histogram',
      at,
    );
  const amount = amountOf({ at, field, countsValues }, stage);
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
  stage: Stage,
) => {
  if (field === undefined) return stage.count();
  const numbers = numbersOf(stage, 'rate', { field }, at);
  if (numbers === undefined) return () => 0;
  const { cell } = stage.aggregate(countsValues ? numbers.count : numbers.sum);
  return (bucket: Bucket) => Number(cell(bucket) ?? 0);
};
