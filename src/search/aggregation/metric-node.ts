import type { SortKey } from '../hits/sort.js';
import type { SourceFilter } from '../hits/source-filter.js';
import type { Input } from '../syntax/input.js';
import type { FieldOptions, Node } from './node.js';

/** Metrics of one number per bucket, over the values of one field. */
export type SimpleMetricKind =
  | 'avg'
  | 'sum'
  | 'min'
  | 'max'
  | 'value_count'
  | 'cardinality'
  | 'stats'
  | 'median_absolute_deviation';

export interface SimpleMetric extends Node<SimpleMetricKind>, FieldOptions {}

export interface ExtendedStatsMetric extends Node<'extended_stats'>, FieldOptions {
  readonly sigma: number;
}

export interface PercentilesMetric extends Node<'percentiles' | 'percentile_ranks'>, FieldOptions {
  /** Percents, or values to find the ranks of. */
  readonly points: readonly number[];
  readonly keyed: boolean;
}

export interface WeightedAvgMetric extends Node<'weighted_avg'> {
  readonly value: FieldOptions;
  readonly weight: FieldOptions;
  readonly format?: Input;
}

export interface TopHitsMetric extends Node<'top_hits'> {
  readonly from: number;
  readonly size: number;
  readonly sort: readonly SortKey[];
  readonly source: SourceFilter;
}

export interface TopMetricsMetric extends Node<'top_metrics'> {
  readonly fields: readonly string[];
  readonly size: number;
  readonly sort: readonly SortKey[];
}

export interface RateMetric extends Node<'rate'> {
  readonly field?: string;
  readonly unit?: Input;
  readonly countsValues: boolean;
  readonly format?: Input;
}

export interface GeoBoundsMetric extends Node<'geo_bounds'>, FieldOptions {
  /** Whether bounds may go over the meridian of 180 degrees. */
  readonly wraps: boolean;
}

export interface GeoCentroidMetric extends Node<'geo_centroid'>, FieldOptions {}

/** Aggregations that answer one thing about each bucket they stand in. */
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
