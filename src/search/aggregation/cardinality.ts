import { illegalArgument } from '../search-failure.js';
import { object } from '../syntax/object.js';
import { long, type Read, string } from '../syntax/value.js';
import { aggregationBase, type ParseAggregation } from './aggregation-node.js';
import type { SimpleMetric } from './metrics.js';
import { fieldOptions, unformatted } from './option/value-source.js';

/** The engines' default number of values up to which their answers are nearly exact. */
const usualThreshold = 3000;

export const cardinality: ParseAggregation<SimpleMetric> = (at, frame) => {
  const threshold: Read<number> = (input) => {
    const value = long(input);
    if (value >= 0) return value;
    const found = `[precisionThreshold] must be greater than or equal to 0. Found [${value}]`;
    throw illegalArgument(`${found} in [${frame.name}]`, input);
  };
  const keys = { ...unformatted, precision_threshold: threshold, execution_hint: string };
  const options = object('cardinality', keys)(at);
  const finer = (options.precision_threshold ?? usualThreshold) > usualThreshold;
  return { kind: 'cardinality', ...aggregationBase(frame, at), ...fieldOptions(options, at), finer };
};
