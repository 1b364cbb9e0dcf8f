import type { Sql } from 'sql-template-tag';
import type { Field } from '#search/field/field.js';

/** A row of a bucket query: the keys of the enclosing buckets, its own keys, and its columns. */
export type BucketRow = readonly unknown[];

/** A bucket as the answer needs it: its keys as one text, and its row, which a bucket without records lacks. */
export interface Bucket {
  readonly id: string;
  readonly row?: BucketRow | undefined;
}

/** A bucket without records. Its sub-aggregations find nothing. */
export const noRecords: Bucket = { id: 'none' };

/**
 * An empty bucket that exists only because of its neighbours. Its sub-aggregations are not evaluated, not even as
 * empty.
 */
export const gap: Bucket = { id: 'gap' };

/** Returns an empty bucket inside another. */
export const emptyIn = ({ id }: Bucket): Bucket => (id === gap.id ? gap : noRecords);

/** Reads one column of a bucket's row; null without a row. */
export type Cell = (bucket: Bucket) => unknown;

/** The key by which records are grouped into buckets. */
export interface Key {
  /** SQL of the key of a record, over `r`, `d` and `lateral`. */
  readonly value: Sql;
  /** SQL type of `value`, in which keys are sent back to restrict a query to some buckets. */
  readonly type: Sql;
  /** SQL of the key in answers, if it differs. */
  readonly output?: (key: Sql) => Sql;
  /** Converts a key from an answer to the form that is sent back, if it differs. */
  readonly send?: (answered: unknown) => unknown;
  /** Fields that `value` reads. */
  readonly fields: readonly Field[];
  /** Joins a query through which a record counts in several buckets. Its alias is `name('many', index)`. */
  readonly lateral?: Sql;
  /** Condition that a record has a key at all. */
  readonly where?: Sql;
}

/** Order and limits of buckets in SQL, within each enclosing bucket. */
export interface Cut {
  readonly size: number;
  readonly minDocCount: number;
  /** Maximum number of records of a bucket. */
  readonly maxDocCount?: number;
  /** SQL of the order over the alias `g`: keys `k<i>`, count `n`, columns `c<i>`. */
  readonly order: () => readonly Sql[];
}

/** Returns records instead of counts: those of each bucket from one position to another, in an order. */
export interface Top {
  readonly from: number;
  readonly size: number;
  readonly order: Sql;
}

/** Counts the cells of rows. Bytes count by the number of cells that they fill. */
export const cellsIn = (rows: readonly BucketRow[]): number =>
  rows.reduce(
    (sum, row) => row.reduce<number>((cells, cell) => cells + (cell instanceof Buffer ? cell.length / 16 : 1), sum),
    0,
  );

/** Returns the index of an expression in a list, to which it is added if missing. */
export const indexIn = (list: Sql[], item: Sql): number => {
  const found = list.findIndex(
    (other) => other.text === item.text && JSON.stringify(other.values) === JSON.stringify(item.values),
  );
  return found >= 0 ? found : list.push(item) - 1;
};
