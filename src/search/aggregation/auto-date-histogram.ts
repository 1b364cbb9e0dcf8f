import { illegalArgument } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { integer, string } from '../syntax/value.js';
import { aggregationBase, type FieldOptions, type Node, type ParseAggregation } from './aggregation-node.js';
import { zoneText } from './option/time-interval.js';
import { fieldOptions, valueSource } from './option/value-source.js';

/** A limited number of time buckets, whose width follows from the records. */
export interface AutoDateHistogramAggregation extends Node<'auto_date_histogram'>, FieldOptions {
  readonly buckets: number;
  readonly minimumInterval?: string;
  readonly timeZone?: Input;
}

export const autoDateHistogram: ParseAggregation<AutoDateHistogramAggregation> = (at, frame) => {
  const options = object('auto_date_histogram', {
    ...valueSource,
    buckets: integer,
    minimum_interval: string,
    time_zone: zoneText,
  })(at);
  const buckets = options.buckets ?? 10;
  if (buckets < 1) throw illegalArgument('buckets must be a positive integer', at);
  return {
    kind: 'auto_date_histogram',
    ...aggregationBase(frame, at),
    ...fieldOptions(options, at),
    buckets,
    ...(options.minimum_interval !== undefined && { minimumInterval: options.minimum_interval }),
    ...(options.time_zone && { timeZone: options.time_zone }),
  };
};
