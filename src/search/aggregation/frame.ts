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

/** What every aggregation is made of. */
export const named = ({ name, meta }: Frame, at: Input) => ({ name, at, ...(meta !== undefined && { meta }) });

/** What every bucket aggregation is made of. */
export const framed = (frame: Frame, at: Input) => ({ ...named(frame, at), children: frame.children });
