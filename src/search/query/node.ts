import type { Input } from '../syntax/input.js';

export interface Clause<K extends string> {
  readonly kind: K;
  /** Where the clause stands, for faults that only show once its field is known. */
  readonly at: Input;
}

export interface FieldClause<K extends string> extends Clause<K> {
  readonly field: string;
}
