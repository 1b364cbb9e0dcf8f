import { object } from '../syntax/object.js';
import { aggregationBase, type Node, type ParseAggregation } from './aggregation-node.js';
import { type HistogramOptions, histogramKeys } from './option/histogram-option.js';
import { intervalKeys, intervalOf, type TimeInterval } from './option/time-interval.js';
import { fieldOptions, valueSource } from './option/value-source.js';

/** A bucket for each time interval. */
export interface DateHistogramAggregation extends Node<'date_histogram'>, HistogramOptions, TimeInterval {}

export const dateHistogram: ParseAggregation<DateHistogramAggregation> = (at, frame) => {
  const options = object('date_histogram', { ...valueSource, ...histogramKeys, ...intervalKeys })(at);
  return {
    kind: 'date_histogram',
    ...aggregationBase(frame, at),
    ...fieldOptions(options, at),
    ...intervalOf(options, at),
    ...(options.extended_bounds && { extendedBounds: options.extended_bounds }),
    ...(options.hard_bounds && { hardBounds: options.hard_bounds }),
    keyed: options.keyed ?? false,
    minDocCount: options.min_doc_count ?? 0,
    order: options.order ?? [],
  };
};
