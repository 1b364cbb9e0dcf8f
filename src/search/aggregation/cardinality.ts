import { object } from '../syntax/object.js';
import { atLeast, string } from '../syntax/value.js';
import { named, type ParseAggregation } from './frame.js';
import type { SimpleMetric } from './option/simple-metric.js';
import { fieldOptions, unformatted } from './option/value-source.js';

export const cardinality: ParseAggregation<SimpleMetric> = (at, frame) => {
  const keys = { ...unformatted, precision_threshold: atLeast(0), execution_hint: string };
  return { kind: 'cardinality', ...named(frame, at), ...fieldOptions(object('cardinality', keys)(at), at) };
};
