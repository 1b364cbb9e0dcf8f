import type {
  AggregationOf,
  BucketAggregation,
  MetricAggregation,
} from '../../../../search/aggregation/aggregation.js';
import { autoDateHistogram } from './auto-date-histogram.js';
import { avg } from './avg.js';
import type { Planned, Stage } from './bucket/stage.js';
import { cardinality } from './cardinality.js';
import { composite } from './composite.js';
import { dateHistogram } from './date-histogram.js';
import { filters } from './filters.js';
import { geoBounds, geoCentroid, geohashGrid, geotileGrid } from './geo.js';
import { histogram } from './histogram.js';
import { max } from './max.js';
import { medianAbsoluteDeviation } from './median-absolute-deviation.js';
import { min } from './min.js';
import { multiTerms } from './multi-terms.js';
import { percentileRanks, percentiles } from './percentiles.js';
import { dateRange, geoDistance, range } from './range.js';
import { rareTerms } from './rare-terms.js';
import { rate } from './rate.js';
import { filter, global, missing } from './single-bucket.js';
import { extendedStats, stats } from './statistics.js';
import { sum } from './sum.js';
import { terms } from './terms.js';
import { topHits } from './top-hits.js';
import { topMetrics } from './top-metrics.js';
import { valueCount } from './value-count.js';
import { weightedAvg } from './weighted-avg.js';

type Kind = (BucketAggregation | MetricAggregation)['kind'];

/** Planner of each type of aggregation. */
export const planners: { readonly [K in Kind]: (aggregation: AggregationOf<K>, stage: Stage) => Planned } = {
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
