import { object, type Shaped } from '../../syntax/object.js';
import { named, type ParseAggregation } from '../frame.js';
import type { FieldOptions, Node } from '../node.js';
import { fieldOptions, valueSource } from './value-source.js';

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

/** A metric that says nothing but what its values are. */
export interface SimpleMetric extends Node<SimpleMetricKind>, FieldOptions {
  /** Whether more is asked for than what is kept by the day tells. */
  readonly finer?: boolean;
}

/** Reads a metric that says nothing but what its values are. */
export const simpleMetric =
  (kind: SimpleMetricKind): ParseAggregation<SimpleMetric> =>
  (at, frame) => {
    const options: Partial<Shaped<typeof valueSource>> = object(kind, valueSource)(at);
    return { kind, ...named(frame, at), ...fieldOptions(options, at) };
  };
