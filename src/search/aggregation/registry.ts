import type { BucketNode, MetricAggregation } from './aggregation.js';
import { autoDateHistogram } from './auto-date-histogram.js';
import { avg } from './avg.js';
import { cardinality } from './cardinality.js';
import { composite } from './composite.js';
import { dateHistogram } from './date-histogram.js';
import { dateRange } from './date-range.js';
import { extendedStats } from './extended-stats.js';
import { filter } from './filter.js';
import { filters } from './filters.js';
import type { ParseAggregation } from './frame.js';
import { geoBounds } from './geo-bounds.js';
import { geoCentroid } from './geo-centroid.js';
import { geoDistance } from './geo-distance.js';
import { geohashGrid } from './geohash-grid.js';
import { geotileGrid } from './geotile-grid.js';
import { global } from './global.js';
import { histogram } from './histogram.js';
import { max } from './max.js';
import { medianAbsoluteDeviation } from './median-absolute-deviation.js';
import { min } from './min.js';
import { missing } from './missing.js';
import { multiTerms } from './multi-terms.js';
import { percentileRanks } from './percentile-ranks.js';
import { percentiles } from './percentiles.js';
import { avgBucket } from './pipeline/avg-bucket.js';
import { bucketScript } from './pipeline/bucket-script.js';
import { bucketSelector } from './pipeline/bucket-selector.js';
import { bucketSort } from './pipeline/bucket-sort.js';
import { cumulativeSum } from './pipeline/cumulative-sum.js';
import { derivative } from './pipeline/derivative.js';
import { extendedStatsBucket } from './pipeline/extended-stats-bucket.js';
import { maxBucket } from './pipeline/max-bucket.js';
import { minBucket } from './pipeline/min-bucket.js';
import { movingFn } from './pipeline/moving-fn.js';
import { percentilesBucket } from './pipeline/percentiles-bucket.js';
import type { PipelineAggregation } from './pipeline/pipeline.js';
import { serialDiff } from './pipeline/serial-diff.js';
import { statsBucket } from './pipeline/stats-bucket.js';
import { sumBucket } from './pipeline/sum-bucket.js';
import { range } from './range.js';
import { rareTerms } from './rare-terms.js';
import { rate } from './rate.js';
import { stats } from './stats.js';
import { sum } from './sum.js';
import { terms } from './terms.js';
import { topHits } from './top-hits.js';
import { topMetrics } from './top-metrics.js';
import { valueCount } from './value-count.js';
import { weightedAvg } from './weighted-avg.js';

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
