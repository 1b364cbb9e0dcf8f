import type { VariableType } from '#entities/enums.js';

/** The engines' type of a field. `long` and `double` are numbers, `keyword` is unanalysed text. */
export type FieldKind = 'double' | 'long' | 'boolean' | 'keyword' | 'date' | 'geo_point';

/**
 * Type in which values of a field are compared: `double` also for booleans (0 and 1) and for whole numbers below 2^53;
 * `long` if they may be larger, as decimal text; `text` by its bytes; `timestamp` as ISO 8601 text; `point` as latitude
 * and longitude in degrees.
 */
export type ValueType = 'double' | 'long' | 'text' | 'timestamp' | 'point';

/**
 * A variable that a product declares, and the slot of its values if any are stored (see `records/scope/slot.ts`).
 */
export interface DeclaredVariable {
  readonly productId: string;
  readonly name: string;
  readonly type: VariableType;
  readonly slot: number | null;
}

/**
 * Location of a field's values: in a part of every record or device, in variables that products declare, in fields of
 * its JSON that no product declares, in an attribute of its device, or nowhere.
 */
export type FieldOrigin =
  | { readonly kind: 'reserved' }
  | {
      readonly kind: 'declared';
      readonly variables: readonly DeclaredVariable[];
      /** Whether all products in scope declare it, so that no record belongs to another product. */
      readonly complete: boolean;
    }
  | {
      readonly kind: 'undeclared';
      readonly root: 'data' | 'metadata';
      /** Lists of keys that lead to it, in the order in which they are tried. */
      readonly keys: readonly (readonly string[])[];
    }
  | { readonly kind: 'attribute'; readonly name: string }
  | { readonly kind: 'none' };

/** A field that a query can name. It says nothing about how a store reads the values. */
export interface Field {
  readonly path: string;
  readonly kind: FieldKind;
  readonly valueType: ValueType;
  readonly origin: FieldOrigin;
  /** Whether a record may have several values. */
  readonly multi: boolean;
  /** Whether every record has a value, so that comparisons need no guard against missing ones. */
  readonly always: boolean;
  /** Whether the values belong to the current device instead of the record. */
  readonly ofDevice: boolean;
}

/** Whether metrics accept values of a field: booleans count as 0 and 1, dates as milliseconds. */
export const isNumeric = (field: Field): boolean => field.kind !== 'keyword' && field.kind !== 'geo_point';

/** The fields of one query's scope. */
export interface Fields {
  /** Returns the field of a path; undefined if no record has it. Throws if products disagree on its type. */
  find(path: string): Field | undefined;
  /** Returns the type of a path; undefined without one, or if products disagree on it. */
  kindOf(path: string): FieldKind | undefined;
  /** Returns the paths of all fields. */
  paths(): string[];
  /** Returns all fields whose path matches a pattern with `*`. */
  matching(pattern: string): Field[];
  /** Whether there are fields below a path. */
  hasUnder(path: string): boolean;
}
