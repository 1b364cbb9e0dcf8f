import { illegalArgument } from '../search-failure.js';
import { object } from '../syntax/object.js';
import { number } from '../syntax/value.js';
import { aggregationBase, type Node, type ParseAggregation } from './aggregation-node.js';
import { type HistogramOptions, histogramKeys } from './option/histogram-option.js';
import { fieldOptions, valueSource } from './option/value-source.js';

/** A bucket for each interval of numbers. */
export interface HistogramAggregation extends Node<'histogram'>, HistogramOptions {
  readonly interval: number;
  readonly offset: number;
}

export const histogram: ParseAggregation<HistogramAggregation> = (at, frame) => {
  const options = object('histogram', { ...valueSource, ...histogramKeys, interval: number, offset: number })(at);
  const { interval } = options;
  if (interval === undefined || !(interval > 0))
    throw illegalArgument(`[interval] must be >0 for histogram aggregation [${frame.name}]`, at);
  return {
    kind: 'histogram',
    ...aggregationBase(frame, at),
    ...fieldOptions(options, at),
    interval,
    offset: options.offset ?? 0,
    ...(options.extended_bounds && { extendedBounds: options.extended_bounds }),
    ...(options.hard_bounds && { hardBounds: options.hard_bounds }),
    keyed: options.keyed ?? false,
    minDocCount: options.min_doc_count ?? 0,
    order: options.order ?? [],
  };
};
