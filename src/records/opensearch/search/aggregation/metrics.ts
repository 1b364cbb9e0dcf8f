import { printOf, printOfMetric, requireFormattable, withText } from '#search/aggregation/format.js';
import type { ExtendedStatsMetric, SimpleMetric, WeightedAvgMetric } from '#search/aggregation/metrics.js';
import { extendedOf, type Moments, statisticsOf, withTexts } from '#search/aggregation/statistics.js';
import { illegalArgument } from '#search/search-failure.js';
import { locationOf, textsOf } from '../device-value.js';
import {
  type AskedAggregations,
  type EngineAggregationContext,
  type EngineQuestion,
  noNumber,
  noValue,
  type Planned,
  type SortPath,
} from './bucket/aggregation-context.js';
import type { Bucket } from './bucket/bucket.js';
import { deviceCounts } from './value/device-count.js';
import { numbersOf, sourceOf } from './value/metric-source.js';

/** Converts a value of an answer to a number; null for no number, which the engine writes in several ways. */
export const numberIn = (value: unknown): number | null => {
  if (value === null || value === undefined) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
};

/** Whether a value is a mean or a sum beyond the range of a double, which the engine writes as text. */
const isBeyond = (value: unknown): value is string => value === 'Infinity' || value === '-Infinity';

/** Creates the reader of an answer with a single number. */
export const oneValue =
  ({ answerIn }: EngineQuestion) =>
  (bucket: Bucket): number | null =>
    numberIn(answerIn(bucket)?.['value']);

/** Orders buckets by the single number of an answer. */
export const byValue =
  (question: EngineQuestion, empty: number | 'last') =>
  (property: string): SortPath | undefined =>
    property === '' || property === 'value' ? { path: question.path(''), cell: oneValue(question), empty } : undefined;

/**
 * Creates the planner of a metric with a single number. `none` is its value without numbers, `empty` its value for
 * ordering.
 */
const oneNumber =
  (kind: 'avg' | 'sum' | 'min' | 'max', none: 0 | null, empty: number | 'last') =>
  (metric: SimpleMetric, context: EngineAggregationContext): Planned => {
    const source = numbersOf(kind, metric, metric.at, context);
    const print = printOfMetric(context.field(metric.field, metric.at), metric);
    if (source === undefined) return { asked: {}, read: () => withText(none, print), sortable: noNumber };
    const question = context.ask(kind, source.body, { field: source.field });
    const value = oneValue(question);
    return {
      asked: question.asked,
      read: (bucket) => {
        const given = question.answerIn(bucket)?.['value'];
        return isBeyond(given) ? { value: given } : withText(value(bucket) ?? none, print);
      },
      sortable: byValue(question, empty),
    };
  };

/** Plans the mean of a field's values. */
export const avg = oneNumber('avg', null, 'last');

/** Plans the sum of a field's values. */
export const sum = oneNumber('sum', 0, 0);

/** Plans the smallest value of a field. */
export const min = oneNumber('min', null, Infinity);

/** Plans the largest value of a field. */
export const max = oneNumber('max', null, -Infinity);

const noValues: Moments = { count: 0, sum: 0, min: null, max: null, sumOfSquares: 0 };

/** Values by which buckets without values are ordered. For any other metric, such buckets come last. */
const emptyOf: Readonly<Record<string, number>> = { count: 0, sum: 0, min: Infinity, max: -Infinity };

const simple = new Set(['count', 'sum', 'min', 'max', 'avg']);
const scattered = new Set([
  'sum_of_squares',
  'variance',
  'variance_population',
  'variance_sampling',
  'std_deviation',
  'std_deviation_population',
  'std_deviation_sampling',
  'std_upper',
  'std_lower',
]);

const plan = (metric: SimpleMetric | ExtendedStatsMetric, context: EngineAggregationContext, sigma?: number) => {
  const source = numbersOf(metric.kind, metric, metric.at, context);
  const field = context.field(metric.field, metric.at);
  // Statistics of booleans are written as booleans, where other metrics write their text.
  const print =
    field?.kind === 'boolean' && metric.format === undefined
      ? (value: number) => value !== 0
      : printOf(field, metric.format);
  const unlessWhole = (property: string) => (property === '' ? undefined : noValue());
  if (source === undefined) return { asked: {}, moments: () => noValues, sortable: unlessWhole, print: undefined };
  const body = { ...source.body, ...(sigma !== undefined && { sigma }) };
  const question = context.ask(sigma === undefined ? 'stats' : 'extended_stats', body, { field: source.field });
  const moments = (bucket: Bucket): Moments => {
    const answer = question.answerIn(bucket);
    return {
      count: Number(answer?.['count'] ?? 0),
      sum: numberIn(answer?.['sum']) ?? 0,
      min: numberIn(answer?.['min']),
      max: numberIn(answer?.['max']),
      sumOfSquares: numberIn(answer?.['sum_of_squares']) ?? 0,
    };
  };
  const sortable = (property: string): SortPath | undefined => {
    if (!simple.has(property) && (sigma === undefined || !scattered.has(property))) return undefined;
    const cell = (bucket: Bucket) => {
      const answer = question.answerIn(bucket);
      const bounds = answer?.['std_deviation_bounds'] as Record<string, unknown> | undefined;
      return numberIn(answer?.[property] ?? bounds?.[property.replace('std_', '')]);
    };
    return { path: question.path(`.${property}`), cell, empty: emptyOf[property] ?? 'last' };
  };
  return { asked: question.asked, moments, sortable, print };
};

/** Plans count, minimum, maximum, mean and sum. */
export const stats = (metric: SimpleMetric, context: EngineAggregationContext): Planned => {
  const { asked, moments, sortable, print } = plan(metric, context);
  return { asked, read: (bucket) => withTexts({ ...statisticsOf(moments(bucket)) }, print), sortable };
};

/** Plans `stats` with variance and deviation. */
export const extendedStats = (metric: ExtendedStatsMetric, context: EngineAggregationContext): Planned => {
  const { asked, moments, sortable, print } = plan(metric, context, metric.sigma);
  return { asked, read: (bucket) => withTexts(extendedOf(moments(bucket), metric.sigma), print), sortable };
};

/** Plans the count of values of any type. */
export const valueCount = (metric: SimpleMetric, context: EngineAggregationContext): Planned => {
  const { field: path, missing, format, at } = metric;
  const field = context.field(path, at);
  requireFormattable(field, format);
  if (field === undefined && missing === undefined)
    return { asked: {}, read: () => ({ value: 0 }), sortable: noNumber };
  if (field?.ofDevice) {
    const counts = deviceCounts(context);
    const none = missing === undefined ? 0 : 1;
    const each = (device: Parameters<typeof locationOf>[0]) =>
      (field.kind === 'geo_point' ? Number(locationOf(device) !== undefined) : textsOf(field, device).length) || none;
    return counted(counts.asked, (bucket) =>
      counts.of(bucket).reduce((sum, { device, count }) => sum + count * each(device), 0),
    );
  }
  // Every record has a value, or the default for missing values.
  if (field === undefined || field.path === '_id') return counted({}, context.count());
  const source = sourceOf('keyword', metric, at, context)!;
  const question = context.ask('value_count', source.body, { field });
  const value = oneValue(question);
  return { ...counted(question.asked, (bucket) => value(bucket) ?? 0), sortable: byValue(question, 0) };
};

/** Plans a number that this process counts. The engine cannot order buckets by it. */
const counted = (asked: AskedAggregations, count: (bucket: Bucket) => number): Planned => ({
  asked,
  read: (bucket) => ({ value: count(bucket) }),
});

/** Plans the mean of one field's values, weighted by another's. Records that lack either are skipped. */
export const weightedAvg = (
  { value, weight, format, at }: WeightedAvgMetric,
  context: EngineAggregationContext,
): Planned => {
  const [of, by] = [numbersOf('weighted_avg', value, at, context), numbersOf('weighted_avg', weight, at, context)];
  if (of === undefined || by === undefined) return { asked: {}, read: () => ({ value: null }), sortable: noNumber };
  if (by.field.multi)
    throw illegalArgument(
      'Encountered more than one weight for a single document. Use a field with one value for each.',
      at,
    );
  const bodyOf = ({ value_type: _, ...body }: typeof of.body) => body;
  const question = context.ask(
    'weighted_avg',
    { value: bodyOf(of.body), weight: bodyOf(by.body), value_type: 'double' },
    { field: of.field },
  );
  const mean = oneValue(question);
  const print = printOf(undefined, format);
  return {
    asked: question.asked,
    read: (bucket) => withText(mean(bucket), print),
    sortable: byValue(question, 'last'),
  };
};
