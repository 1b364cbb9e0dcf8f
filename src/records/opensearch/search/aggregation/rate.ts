import { scaleOf } from '#records/answer/rate-scale.js';
import { printOf, withText } from '#search/aggregation/format.js';
import { calendarInterval } from '#search/aggregation/interval.js';
import type { RateMetric } from '#search/aggregation/rate.js';
import { illegalArgument } from '#search/search-failure.js';
import type { AskedAggregations, EngineAggregationContext, Planned } from './bucket/aggregation-context.js';
import type { Bucket } from './bucket/bucket.js';
import { numberIn } from './metrics.js';
import { numbersOf } from './value/metric-source.js';

/** Plans the rate of records, values or sums per unit of time, inside time buckets. */
export const rate = (metric: RateMetric, context: EngineAggregationContext): Planned => {
  const { at, unit, format } = metric;
  const { time } = context;
  if (time === undefined) throw illegalArgument('The rate aggregation can only be used inside a date histogram', at);
  const { asked, amount } = amountOf(metric, context);
  const scale = scaleOf(unit === undefined ? undefined : calendarInterval(unit), time.interval, at);
  const print = printOf(undefined, format);
  const perUnit = (bucket: Bucket): number => {
    const value = amount(bucket);
    if (typeof scale === 'number') return value * scale;
    const { start } = bucket;
    if (bucket.found === undefined || start === undefined) return 0;
    return (value * scale.unit) / (time.rounding.next(start) - start);
  };
  return { asked, read: (bucket) => withText(perUnit(bucket), print) };
};

const amountOf = (
  { at, field, countsValues }: RateMetric,
  context: EngineAggregationContext,
): { asked: AskedAggregations; amount: (bucket: Bucket) => number } => {
  if (field === undefined) return { asked: {}, amount: context.count() };
  const source = numbersOf('rate', { field }, at, context);
  if (source === undefined) return { asked: {}, amount: () => 0 };
  const question = context.ask(countsValues ? 'value_count' : 'sum', source.body, { field: source.field });
  return { asked: question.asked, amount: (bucket) => numberIn(question.answerIn(bucket)?.['value']) ?? 0 };
};
