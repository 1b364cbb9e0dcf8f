import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { anything, ignored, text, word } from '../syntax/value.js';
import { aggregationBase, type Node, type ParseAggregation } from './aggregation-node.js';
import { refuseScript } from './option/value-source.js';

/** Records, values or their sum per unit of time. */
export interface RateMetric extends Node<'rate'> {
  readonly field?: string;
  readonly unit?: Input;
  readonly countsValues: boolean;
  readonly format?: Input;
}

export const rate: ParseAggregation<RateMetric> = (at, frame): RateMetric => {
  const { field, unit, mode, format } = object('rate', {
    field: text,
    unit: anything,
    mode: word('sum', 'value_count'),
    format: anything,
    missing: ignored,
    script: refuseScript,
  })(at);
  return {
    kind: 'rate',
    ...aggregationBase(frame, at),
    ...(field !== undefined && { field }),
    ...(unit && { unit }),
    countsValues: mode === 'value_count',
    ...(format && { format }),
  };
};
