import type { AutoDateHistogramAggregation } from './auto-date-histogram.js';
import type { CompositeAggregation } from './composite.js';
import type { DateHistogramAggregation } from './date-histogram.js';
import type { FilterAggregation, FiltersAggregation, GlobalAggregation, MissingAggregation } from './filters.js';
import type { GeoBoundsMetric, GeoCentroidMetric, GridAggregation } from './geo.js';
import type { HistogramAggregation } from './histogram.js';
import type { ExtendedStatsMetric, SimpleMetric, WeightedAvgMetric } from './metrics.js';
import type { MultiTermsAggregation } from './multi-terms.js';
import type { PercentilesMetric } from './percentiles.js';
import type { PipelineAggregation } from './pipeline/pipeline.js';
import type { GeoDistanceAggregation, RangeAggregation } from './ranges.js';
import type { RareTermsAggregation } from './rare-terms.js';
import type { RateMetric } from './rate.js';
import type { TermsAggregation } from './terms.js';
import type { TopHitsMetric, TopMetricsMetric } from './top-hits.js';

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

export type AggregationOf<K extends Aggregation['kind']> = Extract<Aggregation, { kind: K }>;
