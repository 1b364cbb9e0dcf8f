import type { PlainJson } from '../../../json.js';
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

export interface TermsAggregation extends BucketNode<'terms'>, FieldOptions {
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

export interface DateHistogramAggregation extends BucketNode<'date_histogram'>, FieldOptions {
  readonly calendarInterval?: Input;
  readonly fixedInterval?: Input;
  readonly timeZone?: Input;
  readonly offset?: Input;
  readonly keyed: boolean;
  readonly minDocCount: number;
  readonly extendedBounds?: HistogramBounds;
  readonly hardBounds?: HistogramBounds;
  readonly order: readonly BucketOrder[];
}

/** Metrics of one number per bucket, over the values of one field. */
export type SimpleMetricKind = 'avg' | 'sum' | 'min' | 'max' | 'value_count';

export interface SimpleMetric extends Node<SimpleMetricKind>, FieldOptions {}

/** Aggregations that answer one thing about each bucket they stand in. */
export type MetricAggregation = SimpleMetric;

/** Aggregations that make buckets, in which others may stand. */
export type BucketAggregation = TermsAggregation | DateHistogramAggregation;

/** An aggregation as it was asked for, typed, before its fields are known. */
export type Aggregation = MetricAggregation | BucketAggregation;

/** A query inside an aggregation. */
export type InnerQuery = Query;
