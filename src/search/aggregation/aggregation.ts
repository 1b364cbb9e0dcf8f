import type { AutoDateHistogramAggregation } from './auto-date-histogram.js';
import type { CompositeAggregation } from './composite.js';
import type { DateHistogramAggregation } from './date-histogram.js';
import type { ExtendedStatsMetric } from './extended-stats.js';
import type { FilterAggregation } from './filter.js';
import type { FiltersAggregation } from './filters.js';
import type { GeoBoundsMetric } from './geo-bounds.js';
import type { GeoCentroidMetric } from './geo-centroid.js';
import type { GeoDistanceAggregation } from './geo-distance.js';
import type { GlobalAggregation } from './global.js';
import type { HistogramAggregation } from './histogram.js';
import type { MissingAggregation } from './missing.js';
import type { MultiTermsAggregation } from './multi-terms.js';
import type { GridAggregation } from './option/grid.js';
import type { PercentilesMetric } from './option/percent.js';
import type { RangeAggregation } from './option/range.js';
import type { SimpleMetric } from './option/simple-metric.js';
import type { PipelineAggregation } from './pipeline/pipeline.js';
import type { RareTermsAggregation } from './rare-terms.js';
import type { RateMetric } from './rate.js';
import type { TermsAggregation } from './terms.js';
import type { TopHitsMetric } from './top-hits.js';
import type { TopMetricsMetric } from './top-metrics.js';
import type { WeightedAvgMetric } from './weighted-avg.js';

/** Parsed bodies of the aggregations that make buckets. */
export type BucketNode =
  | TermsAggregation
  | RareTermsAggregation
  | MultiTermsAggregation
  | DateHistogramAggregation
  | AutoDateHistogramAggregation
  | HistogramAggregation
  | RangeAggregation
  | GeoDistanceAggregation
  | GridAggregation
  | FilterAggregation
  | FiltersAggregation
  | MissingAggregation
  | GlobalAggregation
  | CompositeAggregation;

/** Sub-aggregations of a bucket aggregation. */
interface Inside {
  readonly children: readonly Aggregation[];
}

/** A bucket aggregation with its sub-aggregations. */
export type WithChildren<N extends BucketNode> = N & Inside;

/** Aggregations that make buckets and may have sub-aggregations. */
export type BucketAggregation = BucketNode & Inside;

/** A parsed aggregation, before its fields are known. */
export type Aggregation = MetricAggregation | BucketAggregation | PipelineAggregation;

/** Aggregations that compute one answer for each enclosing bucket. */
export type MetricAggregation =
  | SimpleMetric
  | ExtendedStatsMetric
  | PercentilesMetric
  | WeightedAvgMetric
  | TopHitsMetric
  | TopMetricsMetric
  | RateMetric
  | GeoBoundsMetric
  | GeoCentroidMetric;

/** The aggregation of a kind. */
export type AggregationOf<K extends Aggregation['kind']> = Extract<Aggregation, { kind: K }>;
