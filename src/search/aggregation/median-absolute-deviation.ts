import { illegalArgument } from '../failure.js';
import { object } from '../syntax/object.js';
import { doubleText, number, type Read } from '../syntax/value.js';
import { named, type ParseAggregation } from './frame.js';
import type { SimpleMetric } from './option/simple-metric.js';
import { fieldOptions, valueSource } from './option/value-source.js';

export const medianAbsoluteDeviation: ParseAggregation<SimpleMetric> = (at, frame) => {
  const kind = 'median_absolute_deviation';
  /** Precision of the engines' estimate. */
  const positive: Read<number> = (input) => {
    const value = number(input);
    if (value > 0) return value;
    throw illegalArgument(
      `[${input.key}] must be greater than 0. Found [${doubleText(value)}] in [${frame.name}]`,
      input,
    );
  };
  const options = object(kind, { ...valueSource, compression: positive })(at);
  // The engines' default compression, 1000, is finer than our digests.
  const finer = (options.compression ?? 1000) > 100;
  return { kind, ...named(frame, at), ...fieldOptions(options, at), finer };
};
