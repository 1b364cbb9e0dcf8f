import type { ExtendedStatsMetric } from '../../../../search/aggregation/extended-stats.js';
import { printOf } from '../../../../search/aggregation/format.js';
import type { SimpleMetric } from '../../../../search/aggregation/option/simple-metric.js';
import { extendedOf, type Moments, statisticsOf, withTexts } from '../../../../search/aggregation/statistics.js';
import type { Bucket } from './bucket/bucket.js';
import { noValue, type Planned, type SortPath, type Stage } from './bucket/stage.js';
import { numberIn } from './value/metric.js';
import { numbersOf } from './value/source.js';

const noValues: Moments = { count: 0, sum: 0, min: null, max: null, sumOfSquares: 0 };

/** Sort values of buckets without values; with other metrics these buckets come last. */
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
  // Statistics of booleans are booleans, whereas other metrics write their text.
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

/** Plans count, minimum, maximum, mean and sum. */
export const stats = (metric: SimpleMetric, stage: Stage): Planned => {
  const { asked, moments, sortable, print } = plan(metric, stage);
  return { asked, read: (bucket) => withTexts({ ...statisticsOf(moments(bucket)) }, print), sortable };
};

/** Plans the same statistics together with variance and standard deviation. */
export const extendedStats = (metric: ExtendedStatsMetric, stage: Stage): Planned => {
  const { asked, moments, sortable, print } = plan(metric, stage, metric.sigma);
  return { asked, read: (bucket) => withTexts(extendedOf(moments(bucket), metric.sigma), print), sortable };
};
