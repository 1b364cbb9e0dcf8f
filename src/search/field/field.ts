import type { VariableType } from '../../entities/enums.js';

/** What the engines would call a field's type. `long` and `double` are numbers, `keyword` is text taken whole. */
export type FieldKind = 'double' | 'long' | 'boolean' | 'keyword' | 'date' | 'geo_point';

/**
 * How values of a field are compared: `double` also for booleans (0 and 1) and for whole numbers below 2^53; `long` where
 * they may be larger, as decimal text; `text` by its bytes; `timestamp` as ISO 8601 text; `point` as latitude and longitude
 * in degrees.
 */
export type ValueType = 'double' | 'long' | 'text' | 'timestamp' | 'point';

/** A variable that a product declares, and the slot of its values where any are stored (see `records/postgres/slot.ts`). */
export interface DeclaredVariable {
  readonly productId: string;
  readonly name: string;
  readonly type: VariableType;
  readonly slot: number | null;
}

/**
 * Where a record has the values of a field: in a part of every record or device, in variables that products declare, in
 * fields of its JSON that no product declares, or nowhere.
 */
export type FieldOrigin =
  | { readonly kind: 'reserved' }
  | {
      readonly kind: 'declared';
      readonly variables: readonly DeclaredVariable[];
      /** Whether the products in scope all declare it, so that no record is of another product. */
      readonly complete: boolean;
    }
  | {
      readonly kind: 'undeclared';
      readonly root: 'data' | 'metadata';
      /** The lists of keys that lead to it, in the order in which they are looked for. */
      readonly keys: readonly (readonly string[])[];
    }
  | { readonly kind: 'none' };

/** What a query may name. It says what a field is; how a store reads its values is the store's own to know. */
export interface Field {
  readonly path: string;
  readonly kind: FieldKind;
  readonly valueType: ValueType;
  readonly origin: FieldOrigin;
  /** Whether a record may have several values. */
  readonly multi: boolean;
  /** Whether every record has a value: comparisons need no guard against a missing one. */
  readonly always: boolean;
  /** Whether the values are the device's as it is now, and not the record's. */
  readonly ofDevice: boolean;
}

/** Whether values of a kind are numbers to metrics: booleans count as 0 and 1, dates as milliseconds. */
export const isNumeric = (field: Field): boolean => field.kind !== 'keyword' && field.kind !== 'geo_point';

/** The fields of one query's scope. */
export interface Fields {
  /** The field of a path; undefined where nothing has such a field. Fails where products disagree on its type. */
  find(path: string): Field | undefined;
  /** The paths of all fields. */
  paths(): string[];
  /** All fields whose path matches a pattern with `*`, for queries over several. */
  matching(pattern: string): Field[];
  /** Whether there are fields whose path lies under one. */
  hasUnder(path: string): boolean;
}
