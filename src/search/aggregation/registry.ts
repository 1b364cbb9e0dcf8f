import type { BucketNode, MetricAggregation } from './aggregation.js';
import type { ParseAggregation } from './aggregation-node.js';
import { autoDateHistogram } from './auto-date-histogram.js';
import { cardinality } from './cardinality.js';
import { composite } from './composite.js';
import { dateHistogram } from './date-histogram.js';
import { filter, filters, global, missing } from './filters.js';
import { geoBounds, geoCentroid, geohashGrid, geotileGrid } from './geo.js';
import { histogram } from './histogram.js';
import { avg, extendedStats, max, min, stats, sum, valueCount, weightedAvg } from './metrics.js';
import { multiTerms } from './multi-terms.js';
import { medianAbsoluteDeviation, percentileRanks, percentiles } from './percentiles.js';
import { bucketScript, bucketSelector } from './pipeline/bucket-script.js';
import { bucketSort } from './pipeline/bucket-sort.js';
import { cumulativeSum, derivative, serialDiff } from './pipeline/derivative.js';
import { movingFn } from './pipeline/moving-fn.js';
import type { PipelineAggregation } from './pipeline/pipeline.js';
import {
  avgBucket,
  extendedStatsBucket,
  maxBucket,
  minBucket,
  percentilesBucket,
  statsBucket,
  sumBucket,
} from './pipeline/sibling.js';
import { dateRange, geoDistance, range } from './ranges.js';
import { rareTerms } from './rare-terms.js';
import { rate } from './rate.js';
import { terms } from './terms.js';
import { topHits, topMetrics } from './top-hits.js';

type Parsers<N extends { kind: string }> = { readonly [K in N['kind']]: ParseAggregation<N> };

/** Parsers of the aggregations that make buckets, by type. */
export const bucketParsers: Parsers<BucketNode> = {
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
};

/** Parsers of all other types. */
export const leafParsers: Parsers<MetricAggregation | PipelineAggregation> = {
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
  derivative,
  cumulative_sum: cumulativeSum,
  serial_diff: serialDiff,
  moving_fn: movingFn,
  bucket_script: bucketScript,
  bucket_selector: bucketSelector,
  bucket_sort: bucketSort,
  avg_bucket: avgBucket,
  sum_bucket: sumBucket,
  min_bucket: minBucket,
  max_bucket: maxBucket,
  stats_bucket: statsBucket,
  extended_stats_bucket: extendedStatsBucket,
  percentiles_bucket: percentilesBucket,
};
