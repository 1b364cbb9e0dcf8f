import { illegalArgument } from '../failure.js';
import { object } from '../syntax/object.js';
import { number } from '../syntax/value.js';
import { named, type ParseAggregation } from './frame.js';
import type { FieldOptions, Node } from './node.js';
import { fieldOptions, valueSource } from './option/value-source.js';

/** Count, smallest, largest, mean and sum of values, and how they scatter. */
export interface ExtendedStatsMetric extends Node<'extended_stats'>, FieldOptions {
  readonly sigma: number;
}

export const extendedStats: ParseAggregation<ExtendedStatsMetric> = (at, frame) => {
  const options = object('extended_stats', { ...valueSource, sigma: number })(at);
  const sigma = options.sigma ?? 2;
  if (sigma < 0)
    throw illegalArgument(`[sigma] must be greater than or equal to 0. Found [${sigma}] in [${frame.name}]`, at);
  return { kind: 'extended_stats', ...named(frame, at), ...fieldOptions(options, at), sigma };
};
