import type { PlainJson } from '../../json.js';
import type { Input } from '../syntax/input.js';

/** What every aggregation has. */
export interface Node<K extends string> {
  readonly kind: K;
  readonly name: string;
  /** The body of the aggregation, for faults that only show once its field is known. */
  readonly at: Input;
  /** Comes back in the answer as it was sent. */
  readonly meta?: PlainJson;
}

/** The kinds of keys that `value_type` tells apart. */
export type KeyKind = 'keyword' | 'double' | 'boolean' | 'date';

/** What is common to aggregations over the values of one field. */
export interface FieldOptions {
  readonly field: string;
  /** The value of records that have none. */
  readonly missing?: Input;
  readonly format?: Input;
  /** The kind that keys are taken for where nothing has the field, by `value_type`. */
  readonly takenFor?: KeyKind;
}
