import { printOf, withText } from '../../../../search/aggregation/format.js';
import type { MetricAggregation, SimpleMetric } from '../../../../search/aggregation/metric-node.js';
import { cardinality } from './cardinality.js';
import { geoBounds, geoCentroid } from './geo-metric.js';
import { numbersOf } from './number-of.js';
import { medianAbsoluteDeviation, percentileRanks, percentiles } from './percentile.js';
import { rate } from './rate.js';
import { noNumber, type Planned, type Stage } from './stage.js';
import { extendedStats, stats } from './stats.js';
import { topHits } from './top-hits.js';
import { topMetrics } from './top-metrics.js';
import { valueCount } from './value-count.js';
import { weightedAvg } from './weighted-avg.js';

type Plan = {
  [K in MetricAggregation['kind']]: (metric: Extract<MetricAggregation, { kind: K }>, stage: Stage) => Planned;
};

/** A metric that is one number: `none` where there are no values, `empty` for ordering by it then. */
const oneNumber =
  (kind: 'avg' | 'sum' | 'min' | 'max', none: 0 | null, empty: number | 'last') =>
  (metric: SimpleMetric, stage: Stage): Planned => {
    const numbers = numbersOf(stage, kind, metric, metric.at);
    const print = printOf(stage.field(metric.field, metric.at), metric.format);
    if (numbers === undefined) return { read: () => withText(none, undefined), sortable: noNumber };
    const { cell, column } = stage.aggregate(numbers[kind]);
    return {
      read: (bucket) => {
        const value = cell(bucket);
        return withText(value === null ? none : Number(value), print);
      },
      sortable: (property) => (property === '' || property === 'value' ? { column, cell, empty } : undefined),
    };
  };

/** Plans each kind of metric. */
export const planMetric: Plan = {
  avg: oneNumber('avg', null, 'last'),
  sum: oneNumber('sum', 0, 0),
  min: oneNumber('min', null, Infinity),
  max: oneNumber('max', null, -Infinity),
  value_count: valueCount,
  cardinality,
  stats,
  extended_stats: extendedStats,
  median_absolute_deviation: medianAbsoluteDeviation,
  percentiles,
  percentile_ranks: percentileRanks,
  weighted_avg: weightedAvg,
  top_hits: topHits,
  top_metrics: topMetrics,
  rate,
  geo_bounds: geoBounds,
  geo_centroid: geoCentroid,
};
