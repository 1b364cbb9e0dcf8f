import type { PlainJson } from '../../../json.js';
import type { SortKey } from '../hits/sort.js';
import type { SourceFilter } from '../hits/source-filter.js';
import type { Point } from '../query/predicate.js';
import type { Query } from '../query/query.js';
import type { Input } from '../syntax/input.js';

interface Node<K extends string> {
  readonly kind: K;
  readonly name: string;
  /** The body of the aggregation, for faults that only show once its field is known. */
  readonly at: Input;
  /** Comes back in the answer as it was sent. */
  readonly meta?: PlainJson;
}

interface BucketNode<K extends string> extends Node<K> {
  readonly children: readonly Aggregation[];
}

/** What is common to aggregations over the values of one field. */
export interface FieldOptions {
  readonly field: string;
  /** The value of records that have none. */
  readonly missing?: Input;
  readonly format?: Input;
}

/** One key to order buckets by: `_key`, `_count`, or a path to a metric such as `stats.avg`, `p[95.0]`, `filter>max`. */
export interface BucketOrder {
  readonly path: string;
  readonly descending: boolean;
  readonly at: Input;
}

/** Which keys make buckets: those of a list, or those that follow a regular expression. */
export type KeyFilter = { readonly values: readonly Input[] } | { readonly regexp: Input };

export interface TermsAggregation extends BucketNode<'terms'>, FieldOptions {
  readonly size: number;
  readonly minDocCount: number;
  readonly order: readonly BucketOrder[];
  readonly showErrors: boolean;
  readonly include?: KeyFilter;
  readonly exclude?: KeyFilter;
}

export interface RareTermsAggregation extends BucketNode<'rare_terms'>, FieldOptions {
  readonly maxDocCount: number;
  readonly include?: KeyFilter;
  readonly exclude?: KeyFilter;
}

export interface MultiTermsAggregation extends BucketNode<'multi_terms'> {
  readonly terms: readonly FieldOptions[];
  readonly size: number;
  readonly minDocCount: number;
  readonly order: readonly BucketOrder[];
  readonly showErrors: boolean;
}

/** The bounds that a histogram is stretched or cut to. */
export interface HistogramBounds {
  readonly min?: Input;
  readonly max?: Input;
}

/** The width of time buckets as it was asked for, and where they begin. */
export interface TimeInterval {
  readonly calendarInterval?: Input;
  readonly fixedInterval?: Input;
  readonly timeZone?: Input;
  readonly offset?: Input;
}

interface HistogramOptions extends FieldOptions {
  readonly keyed: boolean;
  readonly minDocCount: number;
  readonly extendedBounds?: HistogramBounds;
  readonly hardBounds?: HistogramBounds;
  readonly order: readonly BucketOrder[];
}

export interface DateHistogramAggregation extends BucketNode<'date_histogram'>, HistogramOptions, TimeInterval {}

export interface AutoDateHistogramAggregation extends BucketNode<'auto_date_histogram'>, FieldOptions {
  readonly buckets: number;
  readonly minimumInterval?: string;
  readonly timeZone?: Input;
}

export interface HistogramAggregation extends BucketNode<'histogram'>, HistogramOptions {
  readonly interval: number;
  readonly offset: number;
}

/** One bucket of a range aggregation; `from` is in it, `to` is not. */
export interface RangeItem {
  readonly key?: string;
  readonly from?: Input;
  readonly to?: Input;
}

export interface RangeAggregation extends BucketNode<'range' | 'date_range'>, FieldOptions {
  readonly ranges: readonly RangeItem[];
  readonly keyed: boolean;
  readonly timeZone?: Input;
}

export interface GeoDistanceAggregation extends BucketNode<'geo_distance'>, FieldOptions {
  readonly ranges: readonly RangeItem[];
  readonly keyed: boolean;
  readonly origin: Point;
  /** Metres of the unit that ranges are in. */
  readonly unitMetres: number;
}

export interface GridAggregation extends BucketNode<'geohash_grid' | 'geotile_grid'>, FieldOptions {
  readonly precision: number;
  readonly size: number;
}

export interface FilterAggregation extends BucketNode<'filter'> {
  readonly filter: Query;
}

export interface FiltersAggregation extends BucketNode<'filters'> {
  /** Without names: an array of buckets. */
  readonly filters: readonly { readonly name?: string; readonly query: Query }[];
  /** The name of the bucket of all other records. */
  readonly other?: string;
  readonly keyed: boolean;
}

export interface MissingAggregation extends BucketNode<'missing'>, FieldOptions {}

export interface GlobalAggregation extends BucketNode<'global'> {}

/** One of the keys of composite buckets. */
export type CompositeSource = {
  readonly name: string;
  readonly at: Input;
  readonly descending: boolean;
  readonly missingBucket: boolean;
  readonly missingFirst?: boolean;
} & FieldOptions &
  (
    | { readonly by: 'terms' }
    | { readonly by: 'histogram'; readonly interval: number }
    | ({ readonly by: 'date_histogram' } & TimeInterval)
  );

export interface CompositeAggregation extends BucketNode<'composite'> {
  readonly sources: readonly CompositeSource[];
  readonly size: number;
  readonly after?: Input;
}

/** Aggregations that make buckets, in which others may stand. */
export type BucketAggregation =
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

/** What pipelines over one path have in common. */
interface PathOptions {
  readonly path: string;
  /** Whether a bucket without a value counts as zero. */
  readonly zeros: boolean;
  readonly format?: Input;
}

/** A node of each of several kinds, alike in all else. */
type Each<K extends string, More> = K extends string ? Node<K> & More : never;

/** What pipelines that compute an expression have in common. */
interface ScriptOptions {
  readonly paths: Readonly<Record<string, string>>;
  readonly script: string;
  readonly zeros: boolean;
  readonly format?: Input;
}

/** Pipelines over the buckets they stand in, in their order. */
export type ParentPipeline =
  | (Node<'derivative'> & PathOptions & { readonly unitMillis?: number })
  | (Node<'cumulative_sum'> & PathOptions)
  | (Node<'serial_diff'> & PathOptions & { readonly lag: number })
  | (Node<'moving_fn'> & PathOptions & { readonly window: number; readonly shift: number; readonly script: string })
  | Each<'bucket_script' | 'bucket_selector', ScriptOptions>
  | (Node<'bucket_sort'> & {
      readonly sort: readonly { readonly path: string; readonly descending: boolean }[];
      readonly from: number;
      readonly size?: number;
      readonly zeros: boolean;
    });

/** Pipelines beside the buckets that they are over. */
export type SiblingPipeline =
  | Each<'avg_bucket' | 'sum_bucket' | 'min_bucket' | 'max_bucket' | 'stats_bucket', PathOptions>
  | (Node<'extended_stats_bucket'> & PathOptions & { readonly sigma: number })
  | (Node<'percentiles_bucket'> & PathOptions & { readonly percents: readonly number[]; readonly keyed: boolean });

/** Aggregations over what others answered. */
export type PipelineAggregation = ParentPipeline | SiblingPipeline;

/** An aggregation as it was asked for, typed, before its fields are known. */
export type Aggregation = MetricAggregation | BucketAggregation | PipelineAggregation;
