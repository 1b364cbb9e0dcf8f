import { percentAnswer } from '#records/answer/percent.js';
import { printOf, withText } from '#search/aggregation/format.js';
import type { SimpleMetric } from '#search/aggregation/metrics.js';
import type { PercentilesMetric } from '#search/aggregation/percentiles.js';
import { type EngineAggregationContext, noNumber, noValue, type Planned } from './bucket/aggregation-context.js';
import type { Bucket } from './bucket/bucket.js';
import { byValue, numberIn, oneValue } from './metrics.js';
import { numbersOf } from './value/metric-source.js';

/** Plans percentiles, which the engine estimates. */
export const percentiles = (metric: PercentilesMetric, context: EngineAggregationContext): Planned => {
  const { points } = metric;
  const isPoint = (property: string) => property !== '' && points.includes(Number(property));
  const print = printOf(context.field(metric.field, metric.at), metric.format);
  const found = valuesAt(metric, context, { percents: points });
  if (found === undefined)
    return {
      asked: {},
      read: () => percentAnswer(metric, nothingAt(points), undefined),
      sortable: (property) => (isPoint(property) ? noValue() : undefined),
    };
  const { question, values } = found;
  return {
    asked: question.asked,
    size: points.length,
    read: (bucket) => percentAnswer(metric, values(bucket), print),
    sortable: (property) =>
      isPoint(property)
        ? {
            path: question.path(`[${Number(property)}]`),
            cell: (bucket) => values(bucket)[points.indexOf(Number(property))] ?? null,
            empty: 'last',
          }
        : undefined,
  };
};

/** Plans the percentage of numbers at or below each value, which the engine estimates. */
export const percentileRanks = (metric: PercentilesMetric, context: EngineAggregationContext): Planned => {
  const { points } = metric;
  const found = valuesAt(metric, context, { values: points });
  if (found === undefined)
    return { asked: {}, read: () => percentAnswer(metric, nothingAt(points), undefined), sortable: noValue };
  const print = printOf(undefined, metric.format);
  const { question, values } = found;
  return { asked: question.asked, read: (bucket) => percentAnswer(metric, values(bucket), print) };
};

const nothingAt = (points: readonly number[]) => points.map(() => null);

const valuesAt = (
  metric: PercentilesMetric,
  context: EngineAggregationContext,
  at: Readonly<Record<string, readonly number[]>>,
) => {
  const source = numbersOf(metric.kind, metric, metric.at, context);
  if (source === undefined) return undefined;
  const question = context.ask(metric.kind, { ...source.body, ...at, keyed: false }, { field: source.field });
  const values = (bucket: Bucket): (number | null)[] => {
    const found = question.answerIn(bucket)?.['values'] as readonly { value: unknown }[] | undefined;
    return metric.points.map((_, index) => numberIn(found?.[index]?.value));
  };
  return { question, values };
};

/** Plans the median distance of values from their median, as OpenSearch estimates it. */
export const medianAbsoluteDeviation = (metric: SimpleMetric, context: EngineAggregationContext): Planned => {
  const source = numbersOf('median_absolute_deviation', metric, metric.at, context);
  const print = printOf(undefined, metric.format);
  if (source === undefined) return { asked: {}, read: () => ({ value: null }), sortable: noNumber };
  const question = context.ask('median_absolute_deviation', source.body, { field: source.field });
  const value = oneValue(question);
  return {
    asked: question.asked,
    read: (bucket) => withText(value(bucket), print),
    sortable: byValue(question, 'last'),
  };
};
