import { printOf, printOfMetric, requireFormattable, withText } from '#search/aggregation/format.js';
import type { ExtendedStatsMetric, SimpleMetric, WeightedAvgMetric } from '#search/aggregation/metrics.js';
import { extendedOf, type Moments, statisticsOf, withTexts } from '#search/aggregation/statistics.js';
import { illegalArgument } from '#search/search-failure.js';
import { placeOf, textsOf } from '../device-value.js';
import type { Bucket } from './bucket/bucket.js';
import {
  type Asked,
  noNumber,
  noValue,
  type Planned,
  type Question,
  type SortPath,
  type Stage,
} from './bucket/stage.js';
import { deviceCounts } from './value/device-count.js';
import { numbersOf, sourceOf } from './value/metric-source.js';

/** A number of the engine's; null where it has none, which it writes in several ways. */
export const numberIn = (value: unknown): number | null => {
  if (value === null || value === undefined) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
};

/** A mean or a sum that no double holds, as the engine writes it. */
const isBeyond = (value: unknown): value is string => value === 'Infinity' || value === '-Infinity';

/** The one number of an answer. */
export const oneValue =
  ({ answerIn }: Question) =>
  (bucket: Bucket): number | null =>
    numberIn(answerIn(bucket)?.['value']);

/** Orders buckets by the one number of an answer. */
export const byValue =
  (question: Question, empty: number | 'last') =>
  (property: string): SortPath | undefined =>
    property === '' || property === 'value' ? { path: question.path(''), cell: oneValue(question), empty } : undefined;

/** A metric that is one number: `none` where there are no values, `empty` for ordering by it then. */
const oneNumber =
  (kind: 'avg' | 'sum' | 'min' | 'max', none: 0 | null, empty: number | 'last') =>
  (metric: SimpleMetric, stage: Stage): Planned => {
    const source = numbersOf(kind, metric, metric.at, stage);
    const print = printOfMetric(stage.field(metric.field, metric.at), metric);
    if (source === undefined) return { asked: {}, read: () => withText(none, print), sortable: noNumber };
    const question = stage.ask(kind, source.body, { field: source.field });
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

/** The mean of the values of a field. */
export const avg = oneNumber('avg', null, 'last');

/** The sum of the values of a field. */
export const sum = oneNumber('sum', 0, 0);

/** The smallest value of a field. */
export const min = oneNumber('min', null, Infinity);

/** The largest value of a field. */
export const max = oneNumber('max', null, -Infinity);

const noValues: Moments = { count: 0, sum: 0, min: null, max: null, sumOfSquares: 0 };

/** Order values of buckets without values. By any other metric such buckets come last. */
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

const plan = (metric: SimpleMetric | ExtendedStatsMetric, stage: Stage, sigma?: number) => {
  const source = numbersOf(metric.kind, metric, metric.at, stage);
  const field = stage.field(metric.field, metric.at);
  // Statistics of booleans are written as booleans, where other metrics write their text.
  const print =
    field?.kind === 'boolean' && metric.format === undefined
      ? (value: number) => value !== 0
      : printOf(field, metric.format);
  const unlessWhole = (property: string) => (property === '' ? undefined : noValue());
  if (source === undefined) return { asked: {}, moments: () => noValues, sortable: unlessWhole, print: undefined };
  const body = { ...source.body, ...(sigma !== undefined && { sigma }) };
  const question = stage.ask(sigma === undefined ? 'stats' : 'extended_stats', body, { field: source.field });
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

/** Count, smallest, largest, mean and sum. */
export const stats = (metric: SimpleMetric, stage: Stage): Planned => {
  const { asked, moments, sortable, print } = plan(metric, stage);
  return { asked, read: (bucket) => withTexts({ ...statisticsOf(moments(bucket)) }, print), sortable };
};

/** The same, and how the values scatter. */
export const extendedStats = (metric: ExtendedStatsMetric, stage: Stage): Planned => {
  const { asked, moments, sortable, print } = plan(metric, stage, metric.sigma);
  return { asked, read: (bucket) => withTexts(extendedOf(moments(bucket), metric.sigma), print), sortable };
};

/** Plans the count of values of any type. */
export const valueCount = (metric: SimpleMetric, stage: Stage): Planned => {
  const { field: path, missing, format, at } = metric;
  const field = stage.field(path, at);
  requireFormattable(field, format);
  if (field === undefined && missing === undefined)
    return { asked: {}, read: () => ({ value: 0 }), sortable: noNumber };
  if (field?.ofDevice) {
    const counts = deviceCounts(stage);
    const none = missing === undefined ? 0 : 1;
    const each = (device: Parameters<typeof placeOf>[0]) =>
      (field.kind === 'geo_point' ? Number(placeOf(device) !== undefined) : textsOf(field, device).length) || none;
    return counted(counts.asked, (bucket) =>
      counts.of(bucket).reduce((sum, { device, count }) => sum + count * each(device), 0),
    );
  }
  // Every record has a value, or the default for missing values.
  if (field === undefined || field.path === '_id') return counted({}, stage.count());
  const source = sourceOf('keyword', metric, at, stage)!;
  const question = stage.ask('value_count', source.body, { field });
  const value = oneValue(question);
  return { ...counted(question.asked, (bucket) => value(bucket) ?? 0), sortable: byValue(question, 0) };
};

/** A number that is counted here, by which the engine orders nothing. */
const counted = (asked: Asked, count: (bucket: Bucket) => number): Planned => ({
  asked,
  read: (bucket) => ({ value: count(bucket) }),
});

/** The mean of one field's values, weighed by another's. Records without either are left out. */
export const weightedAvg = ({ value, weight, format, at }: WeightedAvgMetric, stage: Stage): Planned => {
  const [of, by] = [numbersOf('weighted_avg', value, at, stage), numbersOf('weighted_avg', weight, at, stage)];
  if (of === undefined || by === undefined) return { asked: {}, read: () => ({ value: null }), sortable: noNumber };
  if (by.field.multi)
    throw illegalArgument(
      'Encountered more than one weight for a single document. Use a field with one value for each.',
      at,
    );
  const bodyOf = ({ value_type: _, ...body }: typeof of.body) => body;
  const question = stage.ask(
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
