import type { Point } from '../query/predicate.js';
import type { Query } from '../query/query.js';
import type { Input } from '../syntax/input.js';
import type { MetricAggregation } from './metric-node.js';
import type { FieldOptions, Node } from './node.js';
import type { PipelineAggregation } from './pipeline-node.js';

interface BucketNode<K extends string> extends Node<K> {
  readonly children: readonly Aggregation[];
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

/** An aggregation as it was asked for, typed, before its fields are known. */
export type Aggregation = MetricAggregation | BucketAggregation | PipelineAggregation;
