import type { Input } from '../syntax/input.js';

/** Context of an aggregation's body for its parser. */
export interface Frame {
  readonly name: string;
}

/** Parses the body of one type of aggregation. {@link parseAggregations} adds its sub-aggregations and `meta`. */
export type ParseAggregation<N> = (at: Input, frame: Frame) => N;

/** Returns the properties of every aggregation. */
export const named = ({ name }: Frame, at: Input) => ({ name, at });
