import type { Sql } from 'sql-template-tag';

/** What the engines would call a field's type. `long` and `double` are numbers, `keyword` is text taken whole. */
export type FieldKind = 'double' | 'long' | 'boolean' | 'keyword' | 'date' | 'geo_point';

/**
 * How values of a field come out of SQL: `float8` also for booleans (0 and 1) and for whole numbers below 2^53;
 * `int8` where they may be larger; `point` is two columns, latitude and longitude in degrees.
 */
export type FieldStorage = 'float8' | 'int8' | 'text' | 'timestamptz' | 'point';

/** What a query may name, bound to where its values are. The compiler knows no more of storage than this. */
export interface Field {
  readonly path: string;
  readonly kind: FieldKind;
  readonly storage: FieldStorage;
  /** The value of a record that has one, null of a record that has none; latitude for a point. */
  readonly value: Sql;
  /** Longitude of a point. */
  readonly longitude?: Sql;
  /** An array of all values, null or empty for none, where a record may have several. `value` is not to be read then. */
  readonly values?: Sql;
  /** Every record has a value: comparisons need no guard against null, and indexes serve them. */
  readonly always: boolean;
  /** Values that are UUIDs: the column to compare, so that indexes serve. */
  readonly uuid?: Sql;
  /** Reading a value takes JSON apart: worth doing once per record. */
  readonly costly?: boolean;
  /** Whether the values are the device's, so that its table must be joined. */
  readonly ofDevice: boolean;
  /** Where rollups have its numbers, one place a product: set where they have all that products which declare it have. */
  readonly places?: readonly Place[];
  /** The products that declare it. */
  readonly declaredBy?: readonly string[];
}

/** The slot of a product's variable in `record.numbers`. */
export interface Place {
  readonly productId: string;
  readonly slot: number;
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
}
