import type { PlainJson } from '#json/json.js';
import type { Input } from '../syntax/input.js';

/** Properties of every aggregation. */
export interface Node<K extends string> {
  readonly kind: K;
  readonly name: string;
  /** Body of the aggregation, for errors that occur once its field is known. */
  readonly at: Input;
  /** Returned in the answer as it was sent. */
  readonly meta?: PlainJson;
}

/** Kinds of keys that `value_type` distinguishes. */
export type KeyKind = 'keyword' | 'double' | 'boolean' | 'date';

/** Options of aggregations over the values of one field. */
export interface FieldOptions {
  readonly field: string;
  /** Default for records without a value. */
  readonly missing?: Input;
  readonly format?: Input;
  /** Kind of the keys if no record has the field, by `value_type`. */
  readonly takenFor?: KeyKind;
}

/** Context of an aggregation's body for its parser. */
interface Frame {
  readonly name: string;
}

/** Parses the body of one type of aggregation. {@link parseAggregations} adds its sub-aggregations and `meta`. */
export type ParseAggregation<N> = (at: Input, frame: Frame) => N;

/** Returns the properties of every aggregation. */
export const aggregationBase = ({ name }: Frame, at: Input) => ({ name, at });
