import type { Input } from '../syntax/input.js';

/** What every parser is told of the aggregation around its body. */
export interface Frame {
  readonly name: string;
}

/** Reads the body of one type of aggregation; what stands inside it, and `meta`, are read and added by {@link parseAggregations}. */
export type ParseAggregation<N> = (at: Input, frame: Frame) => N;

/** What every aggregation is made of. */
export const named = ({ name }: Frame, at: Input) => ({ name, at });
