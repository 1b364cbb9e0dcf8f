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

/** A metric whose only options concern its values. */
export interface SimpleMetric extends Node<SimpleMetricKind>, FieldOptions {
  /** Whether the request needs more precision than the daily digests have. */
  readonly finer?: boolean;
}

/** Creates the parser of a metric whose only options concern its values. */
export const simpleMetric =
  (kind: SimpleMetricKind): ParseAggregation<SimpleMetric> =>
  (at, frame) => {
    const options: Partial<Shaped<typeof valueSource>> = object(kind, valueSource)(at);
    return { kind, ...named(frame, at), ...fieldOptions(options, at) };
  };
