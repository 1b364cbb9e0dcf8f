import type { Input } from '../syntax/input.js';
import type { Aggregation } from './aggregation.js';

/** What every parser is told of the aggregation around its body. */
export interface Frame {
  readonly name: string;
  readonly meta?: Aggregation['meta'];
  readonly children: readonly Aggregation[];
}

/** Reads the body of one type of aggregation. */
export type ParseAggregation = (at: Input, frame: Frame) => Aggregation;
