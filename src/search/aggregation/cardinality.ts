import { object } from '../syntax/object.js';
import { atLeast, long, string } from '../syntax/value.js';
import { named, type ParseAggregation } from './frame.js';
import type { SimpleMetric } from './option/simple-metric.js';
import { fieldOptions, unformatted } from './option/value-source.js';

/** Up to so many values the engines' answers are close to exact, unless told otherwise. */
const usualThreshold = 3000;

export const cardinality: ParseAggregation<SimpleMetric> = (at, frame) => {
  const keys = { ...unformatted, precision_threshold: atLeast(0, long), execution_hint: string };
  const options = object('cardinality', keys)(at);
  const finer = (options.precision_threshold ?? usualThreshold) > usualThreshold;
  return { kind: 'cardinality', ...named(frame, at), ...fieldOptions(options, at), finer };
};
