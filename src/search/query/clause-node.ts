import type { Input } from '../syntax/input.js';

export interface Clause<K extends string> {
  readonly kind: K;
  /** Position of the clause, for faults that occur once its field is known. */
  readonly at: Input;
}

export interface FieldClause<K extends string> extends Clause<K> {
  readonly field: string;
}
