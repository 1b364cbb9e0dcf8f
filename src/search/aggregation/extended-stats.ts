import { illegalArgument } from '../failure.js';
import { object } from '../syntax/object.js';
import { doubleText, number, type Read } from '../syntax/value.js';
import { named, type ParseAggregation } from './frame.js';
import type { FieldOptions, Node } from './node.js';
import { fieldOptions, valueSource } from './option/value-source.js';

/** Count, minimum, maximum, mean, sum, variance and deviation of values. */
export interface ExtendedStatsMetric extends Node<'extended_stats'>, FieldOptions {
  readonly sigma: number;
}

export const extendedStats: ParseAggregation<ExtendedStatsMetric> = (at, frame) => {
  const sigmaOf: Read<number> = (input) => {
    const sigma = number(input);
    if (sigma >= 0) return sigma;
    const found = `[sigma] must be greater than or equal to 0. Found [${doubleText(sigma)}]`;
    throw illegalArgument(`${found} in [${frame.name}]`, input);
  };
  const options = object('extended_stats', { ...valueSource, sigma: sigmaOf })(at);
  return { kind: 'extended_stats', ...named(frame, at), ...fieldOptions(options, at), sigma: options.sigma ?? 2 };
};
