import { illegalArgument } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { object, type Shaped } from '../syntax/object.js';
import { doubleText, number, type Read, scalar, string } from '../syntax/value.js';
import { aggregationBase, type FieldOptions, type Node, type ParseAggregation } from './aggregation-node.js';
import { fieldOptions, formatText, namedField, refuseScript, valueSource } from './option/value-source.js';

/** Metrics of one number per bucket, over the values of one field. */
type SimpleMetricKind =
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
const simpleMetric =
  (kind: SimpleMetricKind): ParseAggregation<SimpleMetric> =>
  (at, frame) => {
    const options: Partial<Shaped<typeof valueSource>> = object(kind, valueSource)(at);
    return { kind, ...aggregationBase(frame, at), ...fieldOptions(options, at) };
  };

export const avg = simpleMetric('avg');

export const sum = simpleMetric('sum');

export const min = simpleMetric('min');

export const max = simpleMetric('max');

export const valueCount = simpleMetric('value_count');

export const stats = simpleMetric('stats');

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
  return {
    kind: 'extended_stats',
    ...aggregationBase(frame, at),
    ...fieldOptions(options, at),
    sigma: options.sigma ?? 2,
  };
};

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
  return { kind: 'weighted_avg', ...aggregationBase(frame, at), value, weight, ...(format && { format }) };
};
