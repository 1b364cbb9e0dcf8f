import { illegalArgument } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { scalar, string } from '../syntax/value.js';
import { named, type ParseAggregation } from './frame.js';
import type { FieldOptions, Node } from './node.js';
import { formatText, namedField, refuseScript } from './option/value-source.js';

/** The mean of one field's values, weighted by another's. */
export interface WeightedAvgMetric extends Node<'weighted_avg'> {
  readonly value: FieldOptions;
  readonly weight: FieldOptions;
  readonly format?: Input;
}

export const weightedAvg: ParseAggregation<WeightedAvgMetric> = (at, frame) => {
  const source = (input: Input) =>
    namedField(object('weighted_avg', { field: string, missing: scalar, script: refuseScript })(input), input);
  const { value, weight, format } = object('weighted_avg', {
    value: source,
    weight: source,
    format: formatText,
    value_type: string,
  })(at);
  if (value === undefined || weight === undefined) throw illegalArgument('[value] and [weight] are required', at);
  return { kind: 'weighted_avg', ...named(frame, at), value, weight, ...(format && { format }) };
};
