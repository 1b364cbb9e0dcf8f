import { type AskedAggregation, planSiblings } from '#records/answer/plan-aggregations.js';
import type {
  Aggregation,
  AggregationOf,
  BucketAggregation,
  MetricAggregation,
} from '#search/aggregation/aggregation.js';
import { autoDateHistogram } from './auto-date-histogram.js';
import type { AggregationContext, Children, Planned, SortColumn } from './bucket/aggregation-context.js';
import type { Bucket } from './bucket/bucket.js';
import { cardinality } from './cardinality.js';
import { composite } from './composite.js';
import { dateHistogram } from './date-histogram.js';
import { filter, filters, global, missing } from './filters.js';
import { geoBounds, geoCentroid, geohashGrid, geotileGrid } from './geo.js';
import { histogram } from './histogram.js';
import { avg, extendedStats, max, min, stats, sum, valueCount, weightedAvg } from './metrics.js';
import { multiTerms } from './multi-terms.js';
import { medianAbsoluteDeviation, percentileRanks, percentiles } from './percentiles.js';
import { dateRange, geoDistance, range } from './ranges.js';
import { rareTerms } from './rare-terms.js';
import { rate } from './rate.js';
import { terms } from './terms.js';
import { topHits, topMetrics } from './top-hits.js';
import { checkMissing } from './value/missing-value.js';

type Kind = (BucketAggregation | MetricAggregation)['kind'];

/** Planners of aggregations in SQL, by type. */
const planners: { readonly [K in Kind]: (aggregation: AggregationOf<K>, context: AggregationContext) => Planned } = {
  terms,
  rare_terms: rareTerms,
  multi_terms: multiTerms,
  date_histogram: dateHistogram,
  auto_date_histogram: autoDateHistogram,
  histogram,
  range,
  date_range: dateRange,
  geo_distance: geoDistance,
  geohash_grid: geohashGrid,
  geotile_grid: geotileGrid,
  filter,
  filters,
  missing,
  global,
  composite,
  avg,
  sum,
  min,
  max,
  value_count: valueCount,
  cardinality,
  stats,
  median_absolute_deviation: medianAbsoluteDeviation,
  extended_stats: extendedStats,
  percentiles,
  percentile_ranks: percentileRanks,
  weighted_avg: weightedAvg,
  top_hits: topHits,
  top_metrics: topMetrics,
  rate,
  geo_bounds: geoBounds,
  geo_centroid: geoCentroid,
};

/** Plans sub-aggregations of the same bucket. */
export const planAll = (aggregations: readonly Aggregation[], context: AggregationContext): Children => {
  const plan = (aggregation: AskedAggregation): Planned => {
    checkMissing(aggregation, context);
    return (planners[aggregation.kind] as PlanOne)(aggregation, context);
  };
  return planSiblings<Bucket, SortColumn, Planned>(aggregations, plan, context.planning).children;
};

type PlanOne = (aggregation: Aggregation, context: AggregationContext) => Planned;
